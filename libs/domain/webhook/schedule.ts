/** Whole exchange: look-up, TLS, request and status. */
export const RESPONSE_TIMEOUT_MS = 10_000;

const FIRST_GAP_MS = 30_000;
const MAX_GAP_MS = 3_600_000;
const TRIED_FOR_MS = 86_400_000;

/**
 * From the start of attempt `attempt` (1, 2, ...) to that of the next. Without jitter: adaptive concurrency is what
 * keeps receivers from being flooded.
 */
export function gapMs(attempt: number): number {
  return Math.min(MAX_GAP_MS, FIRST_GAP_MS * 2 ** Math.min(attempt - 1, 20));
}

export interface FailedAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  /** Of the first attempt of its round. */
  readonly firstStartedAt: number;
  /** The receiver's Retry-After; null: none. */
  readonly retryAfterMs: number | null;
}

/**
 * When to try again, null: not any more. Attempts lie at most an hour apart from start to start, and for 24 hours: 30
 * of them when none is late. A receiver's Retry-After makes a gap longer, never beyond the hour, and never shorter.
 */
export function nextAttemptAt({ attempt, startedAt, firstStartedAt, retryAfterMs }: FailedAttempt): number | null {
  const gap = Math.min(MAX_GAP_MS, Math.max(gapMs(attempt), retryAfterMs ?? 0));
  const at = startedAt + gap;
  return at > firstStartedAt + TRIED_FOR_MS ? null : at;
}

/** A delivery that never had a turn is given up after as long as others are tried. */
export function waitedLongEnough(since: number, now: number): boolean {
  return now - since > TRIED_FOR_MS;
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from `now`; null: there is none that can be read. */
export function retryAfterOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
