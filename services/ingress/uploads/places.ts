/** Bounds how much of one thing goes on at once, in all and for one key. */
export class Places {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(most: number, mostOfOne: number) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  /** Frees the place when called, once; null: there is none. */
  take(key: string): (() => void) | null {
    const ofOne = this.#taken.get(key) ?? 0;
    if (this.#count >= this.#most || ofOne >= this.#mostOfOne) return null;
    this.#count += 1;
    this.#taken.set(key, ofOne + 1);
    let free = false;
    return () => {
      if (free) return;
      free = true;
      this.#count -= 1;
      const left = this.#taken.get(key)! - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }
}
