/** Runs at most `limit` pieces of work at once; the rest wait in order of arrival. */
export class InFlight {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((proceed) => this.#waiting.push(proceed));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The permit is handed to the next waiter directly, so that a new caller can not overtake those that wait.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
