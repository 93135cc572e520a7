import assert from 'node:assert/strict';

/**
 * Room for work that keeps cores busy, given in the order it was asked for: who asks for much is not passed over for ever by those who
 * ask for little.
 */
export class Slots {
  readonly #all: number;
  #free: number;
  readonly #waiting: { readonly need: number; readonly enter: () => void }[] = [];

  constructor(all: number) {
    assert(Number.isInteger(all) && all > 0, `${all} is no number of slots`);
    this.#all = all;
    this.#free = all;
  }

  /** Runs `work` once `need` slots are free: all of them, should it need more than there are. */
  async run<T>(need: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(need, this.#all);
    if (this.#waiting.length > 0 || this.#free < taken) await new Promise<void>((enter) => this.#waiting.push({ need: taken, enter }));
    else this.#free -= taken;
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.need <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.need;
      next.enter();
    }
  }
}
