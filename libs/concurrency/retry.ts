import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import { backoffMs, ENGINE_BACKOFF, type Backoff } from './backoff.ts';

export interface RetryOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called for each failure after which another try is made. `failures`: failed tries before this one. */
  readonly report: (error: unknown, failures: number) => void;
  /** Once it is false, no further try is made and the last failure is thrown. Default: until `signal` is aborted. */
  readonly mayRetry?: () => boolean;
  /** Ends the wait between two tries. */
  readonly signal?: AbortSignal;
  /** Failures that pass; those of an engine that is away when left out. */
  readonly passes?: (error: unknown) => boolean;
  readonly backoff?: Backoff;
}

/** The engine is away, or can not say whether it did what it was asked: another try may work. */
export function isUnavailable(error: unknown): error is PortError {
  return error instanceof PortError && error.kind !== 'refused';
}

/**
 * Runs `work` until it succeeds: an engine that is away for a while loses nothing and reorders nothing. `work` must be
 * repeatable, for a try of unknown end is tried again. Rejects with a failure that does not pass, and with any failure
 * once no further try may be made.
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, report, signal, passes = isUnavailable, backoff = ENGINE_BACKOFF } = options;
  const mayRetry = options.mayRetry ?? (() => signal?.aborted !== true);
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error) || !mayRetry()) throw error;
      report(error, failures);
      await clock.sleep(backoffMs(backoff, failures), signal);
      if (!mayRetry()) throw error;
    }
  }
}
