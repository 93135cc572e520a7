const FIRST_LIMIT = 4;
const MAX_AT_ONCE = 32;
/** After so many failures in a row an endpoint is in trouble. */
const TROUBLED_AFTER = 3;

/**
 * How many attempts at one endpoint may run at once (AIMD: additive increase, multiplicative decrease). The limit
 * begins at four and grows by one after each success until the first failure, so that a first burst is not delayed.
 * From then on it grows by one after each whole round of successes, and is halved after each failure, to one at least:
 * an endpoint that hangs is down to one socket after a handful of attempts.
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

  recordResult(isSuccess: boolean): void {
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
