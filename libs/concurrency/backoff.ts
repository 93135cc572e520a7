/** Growing waits between the tries of one thing. */
export interface Backoff {
  /** The wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** What the wait is multiplied by after each further failure; 2 when left out. */
  readonly factor?: number;
  /** The part of the wait that chance may add to it, so that callers that failed together do not return together. */
  readonly jitter?: number;
}

/** For the store and the log: short enough to go on soon after they return, long enough not to load them. */
export const ENGINE_BACKOFF: Backoff = { firstMs: 50, maxMs: 2_000 };

/**
 * The wait before the next try, in milliseconds. `failures`: failed tries before the one that has just failed.
 * `random`: from [0, 1), only used where the backoff has jitter.
 */
export function backoffMs({ firstMs, maxMs, factor = 2, jitter = 0 }: Backoff, failures: number, random = 0): number {
  // Any number of failures is within the range of numbers: Infinity is cut to `maxMs`.
  return Math.round(Math.min(maxMs, firstMs * factor ** failures) * (1 + jitter * random));
}
