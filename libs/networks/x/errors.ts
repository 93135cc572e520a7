import type { Failure } from '../contract/adapter.ts';
import { REJECTED, RECONNECT, MEDIA, MEDIA_ONCE } from '../contract/verdicts.ts';
import { at, listAt, textAt, type HttpAnswer } from '../http/call.ts';
import { boundedWaitMs, retryAfterMs } from '../http/retry-after.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';

/**
 * `publish`: the call that makes the post. `upload`: begins, sends, ends or looks at the upload of a file. `other`:
 * anything else repeatable.
 */
export type XStep = 'publish' | 'upload' | 'other';

/** X's two error shapes, problem+json and the legacy list of codes, as one. */
export interface XProblem {
  readonly status: number;
  readonly title: string;
  /** The last part of the problem's type: its host has changed over time. */
  readonly type: string;
  readonly reason: string;
  readonly codes: readonly number[];
  /** Everything the answer says, for matching; and the part a person should read. */
  readonly text: string;
  readonly detail: string;
}

interface Row {
  readonly status: number | readonly number[];
  readonly step?: XStep;
  readonly codes?: readonly number[];
  readonly type?: string;
  readonly reason?: string;
  /**
   * Looked for in what the answer says, whatever the case. A row with several markers wants one of them; with none,
   * only the status.
   */
  readonly text?: RegExp;
  readonly says: Pick<Failure, 'reason' | 'retry' | 'duplicate'> | 'reconcile';
}

const SERVER = [500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529] as const;

/** The first row that fits decides. */
const ROWS: readonly Row[] = [
  { status: SERVER, step: 'publish', says: 'reconcile' },
  { status: SERVER, says: { reason: 'platform_problem', retry: 'later' } },
  { status: 408, step: 'publish', says: 'reconcile' },
  { status: 408, says: { reason: 'platform_problem', retry: 'later' } },
  { status: 429, type: 'usage-capped', says: { reason: 'rate_limited', retry: 'never' } },
  { status: 429, says: { reason: 'rate_limited', retry: 'later' } },
  { status: [400, 403], codes: [324, 325], text: /media ids? .*invalid|invalid media/i, says: MEDIA_ONCE },
  { status: 401, says: { reason: 'needs_reconnect', retry: 'refresh' } },
  { status: [400, 403], codes: [32, 89], says: { reason: 'needs_reconnect', retry: 'refresh' } },
  { status: 402, says: REJECTED },
  { status: [400, 403], codes: [187], text: /duplicate content/i, says: { ...REJECTED, duplicate: true } },
  { status: [400, 403], codes: [185], says: { reason: 'rate_limited', retry: 'later' } },
  { status: [400, 403], codes: [186, 226], says: REJECTED },
  // Before the access levels: a suspension speaks of features too.
  { status: 403, codes: [64, 326], text: /suspended|account is (temporarily )?locked/i, says: RECONNECT },
  { status: 403, text: /video longer than/i, says: MEDIA },
  { status: 403, text: /one cashtag/i, says: REJECTED },
  { status: 403, type: 'unsupported-authentication', text: /\bscopes?\b/i, says: RECONNECT },
  {
    status: 403,
    type: 'client-forbidden',
    reason: 'client-not-enrolled',
    text: /not permitted to access this feature/i,
    says: REJECTED,
  },
  { status: 403, says: REJECTED },
  { status: [400, 404, 409, 410, 413, 415, 422], step: 'upload', says: MEDIA },
  { status: 400, says: REJECTED },
];

export function problemOf(answer: HttpAnswer): XProblem {
  const errors = listAt(answer.json, 'errors');
  const messages = errors
    .map((error) => textAt(error, 'message') ?? textAt(error, 'detail'))
    .filter((message) => message !== null);
  const title = textAt(answer.json, 'title') ?? '';
  const detail = textAt(answer.json, 'detail') ?? '';
  return {
    status: answer.status,
    title,
    type: (textAt(answer.json, 'type') ?? '').split('/').at(-1) ?? '',
    reason: textAt(answer.json, 'reason') ?? '',
    codes: errors.map((error) => at(error, 'code')).filter((code) => typeof code === 'number'),
    text: [title, detail, ...messages].join('\n'),
    // A validation problem says only "one or more parameters"; its messages say which.
    detail:
      [...new Set([...messages, ...(messages.length === 0 ? [detail || title] : [])])]
        .filter((line) => line !== '')
        .join(' ') || `HTTP ${answer.status}`,
  };
}

/**
 * What an answer that isn't the wanted one means. `reconcile`: it may have been published. `now`: milliseconds since
 * the epoch.
 */
export function failureOf(answer: HttpAnswer, step: XStep, now: number): Failure | 'reconcile' {
  const problem = problemOf(answer);
  const row = ROWS.find((candidate) => fits(candidate, problem, step));
  if (row?.says === 'reconcile') return 'reconcile';
  if (row !== undefined) {
    const delay = row.says.retry === 'later' ? { delayMs: delayOf(row.says, answer, now) } : {};
    return { ...row.says, detail: problem.detail, ...delay };
  }
  if (problem.status >= 400 && problem.status < 500) return { ...REJECTED, detail: problem.detail };
  // A success that can't be read, or a redirect: only the timeline shows what happened.
  return step === 'publish'
    ? 'reconcile'
    : { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS, detail: problem.detail };
}

/** As `failureOf`, of a call that publishes nothing. */
export function refusalOf(answer: HttpAnswer, step: Exclude<XStep, 'publish'>, now: number): Failure {
  const failure = failureOf(answer, step, now);
  if (failure === 'reconcile') throw new Error(`${step} publishes nothing, so nothing is to be reconciled`);
  return failure;
}

/** What X could not make anything of. `error`: of its `processing_info`. */
export function processingFailureOf(error: unknown): Failure {
  const words = [textAt(error, 'name'), textAt(error, 'message')].filter((word) => word !== null);
  return { ...MEDIA_ONCE, detail: words.join(': ') || 'X could not process the file.' };
}

function fits(row: Row, problem: XProblem, step: XStep): boolean {
  const statuses = typeof row.status === 'number' ? [row.status] : row.status;
  if (!statuses.includes(problem.status) || (row.step !== undefined && row.step !== step)) return false;
  const markers = [row.codes, row.type, row.reason, row.text].filter((marker) => marker !== undefined);
  return (
    markers.length === 0 ||
    (row.codes?.some((code) => problem.codes.includes(code)) ?? false) ||
    (row.type !== undefined && row.type === problem.type) ||
    (row.reason !== undefined && row.reason === problem.reason) ||
    (row.text?.test(problem.text) ?? false)
  );
}

const DEFAULT_LIMIT_DELAY_MS = 15 * 60_000;
const WINDOWS = ['x-rate-limit', 'x-user-limit-24hour', 'x-app-limit-24hour'] as const;

function delayOf(says: Pick<Failure, 'reason'>, answer: HttpAnswer, now: number): number {
  if (says.reason !== 'rate_limited') return TROUBLE_DELAY_MS;
  return limitDelayMs(answer.headers, now) ?? DEFAULT_LIMIT_DELAY_MS;
}

/** Until the last of the exhausted windows opens again; null when no header tells. */
export function limitDelayMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  const resets = WINDOWS.filter((window) => headers[`${window}-remaining`]?.trim() === '0')
    .map((window) => Number(headers[`${window}-reset`]))
    .filter((seconds) => Number.isFinite(seconds) && seconds > 0);
  return resets.length > 0 ? boundedWaitMs(Math.max(Math.max(...resets) * 1000 - now, 1_000)) : retryAfterMs(headers);
}
