/** Failures in a row, over all accounts, that open the breaker. */
const TRIP_AFTER = 8;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/** A probe without a result for this long, as when its attempt failed before the call, no longer holds back others. */
const PROBE_LASTS_MS = 30_000;
/** An attempt that waits returns within two minutes, and is the probe. */
const UNPROBED_MS = 300_000;

/**
 * Whether one Network works, as this process sees it. Instants are of the monotonic clock.
 *
 * - closed: every attempt goes out. `TRIP_AFTER` failures in a row open it.
 * - open: no attempt goes out until the pause is over.
 * - half open: the pause is over. One attempt goes out as a probe, and the others wait for its result. A success closes
 *   the breaker; a failure opens it again for twice as long.
 *
 * An attempt that is held back uses up none of its retries.
 */
export class CircuitBreaker {
  #failures = 0;
  #openUntil: number | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #probeUntil = 0;

  /** Milliseconds to hold an attempt back; 0: it goes out, as the probe if the breaker is half open. */
  admit(now: number): number {
    if (this.#openUntil === null) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (now < this.#probeUntil) return this.#pauseMs;
    this.#probeUntil = now + PROBE_LASTS_MS;
    return 0;
  }

  /** `isAnswered`: false for no answer, and for one that reports a failure of the Network. Returns what it changed. */
  recordResult(isAnswered: boolean, now: number): 'opened' | 'closed' | null {
    if (isAnswered) {
      const wasOpen = this.isOpen;
      this.#failures = 0;
      this.#openUntil = null;
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#probeUntil = 0;
      return wasOpen ? 'closed' : null;
    }
    this.#failures += 1;
    if (this.#openUntil === null) {
      if (this.#failures < TRIP_AFTER) return null;
      this.#openUntil = now + this.#pauseMs;
      return 'opened';
    }
    // Results of calls that were under way when it opened.
    if (now < this.#openUntil) return null;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    this.#openUntil = now + this.#pauseMs;
    this.#probeUntil = 0;
    return null;
  }

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /**
   * Whether it is open by what was seen lately. Where no attempt waits any more, as the partitions went to another
   * process or the Network is held, none probes: the breaker is open for good, and says nothing of the Network.
   */
  isKnownOpen(now: number): boolean {
    return this.#openUntil !== null && now <= Math.max(this.#openUntil, this.#probeUntil) + UNPROBED_MS;
  }
}
