/**
 * Turns completions in any order into acknowledgements in order, for one partition: everything up to and including
 * the offset returned by `done` is finished.
 *
 * An offset is pending (`begin`) -> done (`done`) -> forgotten (once none before it is pending). Offsets begin in
 * ascending order; gaps are allowed. An offset that comes again is a redelivery, and `begin` answers so.
 */
export class OffsetTracker {
  readonly #limit: number;
  /** Begun and not yet forgotten, ascending; true = done. A Map keeps insertion order. */
  readonly #held = new Map<number, boolean>();
  #lastBegun = -1;

  /** `limit`: offsets held at once; beyond it `begin` throws, so the partition has to be paused before. */
  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`a tracker must hold at least one offset, not ${limit}`);
    this.#limit = limit;
  }

  /** Begun and not yet forgotten. */
  get size(): number {
    return this.#held.size;
  }

  /** The first that is pending; null: none is. */
  get lowest(): number | null {
    for (const offset of this.#held.keys()) return offset;
    return null;
  }

  get full(): boolean {
    return this.#held.size >= this.#limit;
  }

  /** False: this offset, or a later one, was begun already (a redelivery): there is nothing new to wait for. */
  begin(offset: number): boolean {
    if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`${offset} is no offset`);
    if (offset <= this.#lastBegun) return false;
    if (this.full) throw new Error(`over ${this.#limit} offsets are in flight: the partition should have been paused`);
    this.#lastBegun = offset;
    this.#held.set(offset, false);
    return true;
  }

  /**
   * The new highest offset before which, and at which, all is done; null when it did not move. Repeats are harmless.
   */
  done(offset: number): number | null {
    if (offset > this.#lastBegun) throw new Error(`offset ${offset} was never begun`);
    if (!this.#held.has(offset)) return null;
    this.#held.set(offset, true);
    let reached: number | null = null;
    for (const [held, isDone] of this.#held) {
      if (!isDone) break;
      this.#held.delete(held);
      reached = held;
    }
    return reached;
  }
}
