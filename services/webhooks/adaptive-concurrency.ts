const FIRST_LIMIT = 4;
const MAX_AT_ONCE = 32;
/** So many failures in a row are more than bad luck. */
const TROUBLED_AFTER = 3;

/**
 * How many attempts at one endpoint may run at once: begins with four, and one more after each success until the first
 * failure, so that a burst is not held up by beginnings. From then on one more after each whole round of successes, and
 * half after each failure, never less than one: an endpoint that hangs is down to one socket after a handful of
 * attempts.
 */
export class AdaptiveConcurrency {
  #limit = FIRST_LIMIT;
  #successes = 0;
  #hasFailed = false;
  #failuresInRow = 0;

  get limit(): number {
    return this.#limit;
  }

  get isTroubled(): boolean {
    return this.#failuresInRow >= TROUBLED_AFTER;
  }

  heard(isSuccess: boolean): void {
    if (!isSuccess) {
      this.#failuresInRow++;
      this.#hasFailed = true;
      this.#successes = 0;
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      return;
    }
    this.#failuresInRow = 0;
    this.#successes++;
    if ((this.#hasFailed && this.#successes < this.#limit) || this.#limit === MAX_AT_ONCE) return;
    this.#successes = 0;
    this.#limit++;
  }
}
