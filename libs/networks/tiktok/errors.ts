import type { Failure } from '../contract/adapter.ts';
import { REJECTED, RECONNECT, TOKEN_REFUSED, MEDIA, MEDIA_ONCE, type Verdict } from '../contract/verdicts.ts';
import { isClientError, textAt, type HttpAnswer } from '../http/call.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';

const DAY_MS = 24 * 3_600_000;
/** TikTok names no time with its 429. */
const LIMIT_DELAY_MS = 60_000;

const TOMORROW = { reason: 'rate_limited', retry: 'later', delayMs: DAY_MS } as const;
const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: LIMIT_DELAY_MS } as const;
export const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS } as const;

/** By the code in an answer's envelope; the HTTP status says less. */
const CODES: Readonly<Record<string, Verdict>> = {
  access_token_invalid: TOKEN_REFUSED,
  scope_not_authorized: RECONNECT,
  scope_permission_missed: RECONNECT,
  invalid_param: REJECTED,
  invalid_params: REJECTED,
  app_version_check_failed: REJECTED,
  invalid_publish_id: RECONNECT,
  token_not_authorized_for_specified_publish_id: RECONNECT,
  spam_risk_too_many_posts: TOMORROW,
  spam_risk_too_many_pending_share: TOMORROW,
  reached_active_user_cap: TOMORROW,
  spam_risk_user_banned_from_posting: REJECTED,
  unaudited_client_can_only_post_to_private_accounts: REJECTED,
  url_ownership_unverified: MEDIA,
  invalid_file_upload: MEDIA,
  // What may be chosen is asked for anew with each try.
  privacy_level_option_mismatch: { reason: 'rejected_by_platform', retry: 'once' },
  rate_limit_exceeded: LIMITED,
  internal_error: TROUBLE,
};

/** By `fail_reason`: what it means that a publication failed. All of them mean that nothing was published. */
const FAIL_REASONS: Readonly<Record<string, Verdict>> = {
  file_format_check_failed: MEDIA_ONCE,
  duration_check_failed: MEDIA_ONCE,
  frame_rate_check_failed: MEDIA_ONCE,
  picture_size_check_failed: MEDIA_ONCE,
  video_pull_failed: MEDIA_ONCE,
  photo_pull_failed: MEDIA_ONCE,
  internal: TROUBLE,
  publish_cancelled: REJECTED,
  auth_removed: RECONNECT,
  spam_risk_too_many_posts: TOMORROW,
  spam_risk_user_banned_from_posting: REJECTED,
  spam_risk_text: REJECTED,
  spam_risk: REJECTED,
};

/** In place of TikTok's words, which do not say what to do. */
const WORDS: Readonly<Record<string, string>> = {
  unaudited_client_can_only_post_to_private_accounts:
    "TikTok has not audited this installation's app. Until then it takes posts of accounts that are set to private in TikTok only, with the privacy only_me",
  privacy_level_option_mismatch:
    'TikTok does not let this account use the chosen privacy through this app. Choose another; before TikTok has audited an app, only only_me can be used',
};

const IS_ABOUT_FILE = /(?<![a-z])(file|size|duration)/i;
/** The token is not the one that the publication was begun with, or TikTok does not know it. */
const UNKNOWN_PUBLICATION: ReadonlySet<string> = new Set([
  'invalid_publish_id',
  'token_not_authorized_for_specified_publish_id',
]);

/** `ok` for success; null: not TikTok's envelope, e.g. a proxy's page. */
export function codeOf(answer: HttpAnswer): string | null {
  return textAt(answer.json, 'error', 'code');
}

/** What an answer that isn't the wanted one means. */
export function failureOf(answer: HttpAnswer): Failure {
  const code = codeOf(answer);
  const said = textAt(answer.json, 'error', 'message');
  const message = code !== null && Object.hasOwn(WORDS, code) ? WORDS[code]! : said;
  const detail =
    code === null
      ? `HTTP ${answer.status}`
      : code === 'ok'
        ? 'an answer without what was asked for'
        : message === null
          ? code
          : `${message} (${code})`;
  const listed = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (listed === REJECTED && /^invalid_params?$/.test(code ?? '') && IS_ABOUT_FILE.test(said ?? ''))
    return { ...MEDIA, detail };
  return { ...(listed ?? unlisted(answer.status)), detail };
}

/** TikTok does not say what became of a publication because it does not know of it, or not for this token. */
export function isUnknownPublication(answer: HttpAnswer): boolean {
  return UNKNOWN_PUBLICATION.has(codeOf(answer) ?? '');
}

/** What `"status": "FAILED"` means. */
export function failedFailureOf(failReason: string | null): Failure {
  const listed = failReason !== null && Object.hasOwn(FAIL_REASONS, failReason) ? FAIL_REASONS[failReason] : undefined;
  const verdict: Verdict = listed ?? { reason: 'platform_problem', retry: 'once' };
  return {
    ...verdict,
    detail:
      failReason === null
        ? 'TikTok could not publish it and did not say why.'
        : `TikTok could not publish it: ${failReason}`,
  };
}

function unlisted(status: number): Verdict {
  if (status === 429) return LIMITED;
  if (status === 401) return TOKEN_REFUSED;
  return isClientError({ status }) ? REJECTED : TROUBLE;
}
