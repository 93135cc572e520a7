export type Cancel = () => void;

/** Time for all code outside `libs/adapters`. Instants are milliseconds since the epoch. */
export interface Clock {
  /** Wall time. It may step back (NTP) or be moved forward by an operator; never derive a duration from it. */
  now(): number;
  /**
   * Wall time without the operator's shift, for instants given to other systems, which compare them with their own
   * clocks.
   */
  unmoved(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations only. */
  monotonic(): number;
  /**
   * Runs `run` once, `delayMs` from now. A timer may fire early by a fraction of a millisecond: a caller that must not
   * be early checks `now()` again. Delays above 2^31-1 ms are allowed.
   */
  after(delayMs: number, run: () => void): Cancel;
  /**
   * Resolves after `delayMs`, or at once when `signal` is aborted (it never rejects). 0: after a turn of the event
   * loop.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `listener` when wall time was moved by hand, so that timers armed for an instant can be armed anew. */
  onMoved(listener: () => void): Cancel;
}
