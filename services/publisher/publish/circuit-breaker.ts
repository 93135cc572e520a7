/** Refusals in a row, over all accounts, that make a Network count as out of order. */
const TRIP_AFTER = 8;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/**
 * A probe that was not heard of for so long, its process having other things on its mind, is no reason to wait for
 * ever.
 */
const PROBE_LASTS_MS = 30_000;

/**
 * Whether one Network works, as this process sees it: closed (calls go out) -> open after `TRIP_AFTER` troubles in a
 * row (nothing goes out) -> half open when the pause is over (one attempt goes out) -> closed if it is answered, else
 * open again, twice as long. What is held back keeps its attempts: a Network's bad hour does not use up a Variant's
 * retries.
 */
export class CircuitBreaker {
  #troubles = 0;
  #openUntil: number | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #probeUntil = 0;

  /**
   * Milliseconds to hold an attempt back; 0: it may go out, and if it is the probe, nothing else does until it was
   * heard of.
   */
  admit(now: number): number {
    if (this.#openUntil === null) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (now < this.#probeUntil) return this.#pauseMs;
    this.#probeUntil = now + PROBE_LASTS_MS;
    return 0;
  }

  /** A call was answered, with whatever; or it was not, or by the Network's own trouble. Returns what that changed. */
  recordResult(answered: boolean, now: number): 'opened' | 'closed' | null {
    if (answered) {
      const was = this.#openUntil;
      this.#troubles = 0;
      this.#openUntil = null;
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#probeUntil = 0;
      return was === null ? null : 'closed';
    }
    this.#troubles += 1;
    if (this.#openUntil === null) {
      if (this.#troubles < TRIP_AFTER) return null;
      this.#openUntil = now + this.#pauseMs;
      return 'opened';
    }
    // Calls that were under way when it opened say nothing new.
    if (now < this.#openUntil) return null;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    this.#openUntil = now + this.#pauseMs;
    this.#probeUntil = 0;
    return null;
  }

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }
}
