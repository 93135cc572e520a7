import type { Failure } from '../contract/adapter.ts';
import { REJECTED, RECONNECT, TOKEN_REFUSED, MEDIA_ONCE, type Verdict } from '../contract/verdicts.ts';
import { isClientError, textAt, type HttpAnswer } from '../http/call.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { nextPacificMidnight } from './pacific-time.ts';

const DAY_MS = 24 * 3_600_000;
/** Where no `Retry-After` says when. */
const LIMIT_DELAY_MS = 60_000;

const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: LIMIT_DELAY_MS } as const;
/** Until the quota's day is over. */
const SPENT = { reason: 'rate_limited', retry: 'later' } as const;
export const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS } as const;
const TROUBLE_ONCE = { reason: 'platform_problem', retry: 'once' } as const;

/** By the `reason` of an answer's first error. */
const REASONS: Readonly<Record<string, Verdict>> = {
  invalidTitle: REJECTED,
  invalidDescription: REJECTED,
  invalidTags: REJECTED,
  invalidCategoryId: REJECTED,
  invalidVideoMetadata: REJECTED,
  invalidPublishAt: REJECTED,
  invalidFilename: REJECTED,
  invalidRecordingDetails: REJECTED,
  invalidVideoGameRating: REJECTED,
  defaultLanguageNotSet: REJECTED,
  mediaBodyRequired: MEDIA_ONCE,
  uploadLimitExceeded: { reason: 'rate_limited', retry: 'later', delayMs: DAY_MS },
  authError: TOKEN_REFUSED,
  Unauthorized: TOKEN_REFUSED,
  unauthorized: TOKEN_REFUSED,
  youtubeSignupRequired: RECONNECT,
  insufficientPermissions: RECONNECT,
  forbidden: RECONNECT,
  accessNotConfigured: REJECTED,
  forbiddenLicenseSetting: REJECTED,
  forbiddenPrivacySetting: REJECTED,
  quotaExceeded: SPENT,
  dailyLimitExceeded: SPENT,
  rateLimitExceeded: LIMITED,
  userRateLimitExceeded: LIMITED,
  authenticatedUserAccountSuspended: RECONNECT,
  authenticatedUserAccountClosed: RECONNECT,
  backendError: TROUBLE,
  internalError: TROUBLE,
};

/** By `status.failureReason`: YouTube has the video and could make nothing of it. */
const FAILURE_REASONS: Readonly<Record<string, Verdict>> = { uploadAborted: TROUBLE_ONCE };

/** By `status.rejectionReason`. */
const REJECTION_REASONS: Readonly<Record<string, Verdict>> = {
  length: { reason: 'media_problem', retry: 'never' },
  uploaderAccountClosed: RECONNECT,
  uploaderAccountSuspended: RECONNECT,
};

/** null: not Google's envelope, e.g. a proxy's page. */
export function reasonOf(answer: HttpAnswer): string | null {
  return textAt(answer.json, 'error', 'errors', 0, 'reason');
}

/** What an answer that isn't the wanted one means. `now`: quotas end with the day. */
export function failureOf(answer: HttpAnswer, now: number): Failure {
  const verdict = listed(REASONS, reasonOf(answer)) ?? unlisted(answer.status);
  const detail = detailOf(answer);
  if (verdict === SPENT) return { ...verdict, delayMs: nextPacificMidnight(now) - now, detail };
  if (verdict === LIMITED)
    return { ...verdict, delayMs: Math.max(LIMIT_DELAY_MS, retryAfterMs(answer.headers) ?? 0), detail };
  return { ...verdict, detail };
}

const ALIKE_EVERYWHERE: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** The same of an upload session: where it refuses in words of its own, another one may do better. */
export function sessionFailureOf(answer: HttpAnswer, now: number): Failure {
  return isOddRefusal(answer) ? { ...TROUBLE_ONCE, detail: detailOf(answer) } : failureOf(answer, now);
}

/** Whether a session refused what was sent to it for a reason that is not documented, such as its place. */
export function isOddRefusal(answer: HttpAnswer): boolean {
  return answer.status >= 400 && answer.status < 500 && !ALIKE_EVERYWHERE.has(answer.status) && !isKnown(answer);
}

/** Whether YouTube refused for a reason that it documents, so that nothing was done. */
export function isKnown(answer: HttpAnswer): boolean {
  return answer.status >= 400 && answer.status < 500 && listed(REASONS, reasonOf(answer)) !== undefined;
}

/** What `"uploadStatus": "failed"` means. */
export function failedFailureOf(reason: string | null): Failure {
  const verdict = listed(FAILURE_REASONS, reason) ?? MEDIA_ONCE;
  return {
    ...verdict,
    detail:
      reason === null
        ? 'YouTube could not process the video and did not say why.'
        : `YouTube could not process the video: ${reason}`,
  };
}

/** What `"uploadStatus": "rejected"` means. */
export function rejectedFailureOf(reason: string | null): Failure {
  const verdict = listed(REJECTION_REASONS, reason) ?? REJECTED;
  return {
    ...verdict,
    detail:
      reason === null ? 'YouTube rejected the video and did not say why.' : `YouTube rejected the video: ${reason}`,
  };
}

function listed(table: Readonly<Record<string, Verdict>>, reason: string | null): Verdict | undefined {
  return reason !== null && Object.hasOwn(table, reason) ? table[reason] : undefined;
}

function unlisted(status: number): Verdict {
  if (status === 429) return LIMITED;
  if (status === 401) return TOKEN_REFUSED;
  return isClientError({ status }) ? REJECTED : TROUBLE;
}

/** Google writes links into its messages. */
function detailOf(answer: HttpAnswer): string {
  const reason = reasonOf(answer);
  const message = textAt(answer.json, 'error', 'message')?.replaceAll(/<[^<>]*>/g, '') ?? null;
  if (message === null)
    return reason ?? (answer.status < 300 ? 'an answer without what was asked for' : `HTTP ${answer.status}`);
  return reason === null ? message : `${message} (${reason})`;
}
