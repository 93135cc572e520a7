export type Cancel = () => void;

/** Time, as everything outside `libs/adapters` sees it. Instants are milliseconds since the epoch. */
export interface Clock {
  /** Wall time. It may step back (NTP) or be moved forward by an operator; never derive a duration from it. */
  now(): number;
  /** Wall time that no operator moved: what others are told, who judge it by clocks of their own. */
  unmoved(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations only. */
  monotonic(): number;
  /**
   * Runs `run` once, `delayMs` from now. A timer may wake early by a fraction of a millisecond: who must not be early
   * asks `now()` again. Delays above 2^31-1 ms are allowed.
   */
  after(delayMs: number, run: () => void): Cancel;
  /** Resolves after `delayMs`, or at once when `signal` is aborted (it never rejects). */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Tells when wall time was moved by hand, so that whoever armed a timer for an instant can arm it anew. */
  onMoved(listener: () => void): Cancel;
}
