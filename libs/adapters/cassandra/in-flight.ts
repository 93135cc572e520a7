interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Bounds how many requests go on at once. Those that wait take turns by their owner, a Workspace in most cases, and of
 * one owner so many go on at most: the servers take what they are asked in order, so a Workspace that asks for much
 * would be what all others wait for. Requests without an owner are bounded by the whole alone.
 */
export class InFlight {
  readonly #limit: number;
  readonly #mostOfOwner: number;
  /** Owners of whom something goes on or waits; those that wait in the order of their turns. */
  readonly #owners = new Map<string, Owner>();
  readonly #turns = new Set<Owner>();
  readonly #ownerless: Owner = { running: 0, waiting: [] };
  #running = 0;

  constructor(limit: number, mostOfOwner: number) {
    this.#limit = limit;
    this.#mostOfOwner = mostOfOwner;
  }

  /** Owners that are known. */
  get owners(): number {
    return this.#owners.size;
  }

  /** `of`: the owner; null: it has none. */
  async run<T>(of: string | null, work: () => Promise<T>): Promise<T> {
    const owner = this.#ownerOf(of);
    if (this.#running >= this.#limit || owner.waiting.length > 0 || this.#hasMost(owner))
      await new Promise<void>((proceed) => {
        owner.waiting.push(proceed);
        this.#turns.add(owner);
      });
    else this.#begin(owner);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      owner.running -= 1;
      this.#admit();
      if (of !== null && owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(of);
    }
  }

  #ownerOf(of: string | null): Owner {
    if (of === null) return this.#ownerless;
    const known = this.#owners.get(of);
    if (known !== undefined) return known;
    const owner: Owner = { running: 0, waiting: [] };
    this.#owners.set(of, owner);
    return owner;
  }

  #hasMost(owner: Owner): boolean {
    return owner !== this.#ownerless && owner.running >= this.#mostOfOwner;
  }

  #begin(owner: Owner): void {
    this.#running += 1;
    owner.running += 1;
  }

  /** Those that have their most are few: as many as it goes into the whole. */
  #admit(): void {
    for (const owner of this.#turns) {
      if (this.#running >= this.#limit) return;
      if (this.#hasMost(owner)) continue;
      const proceed = owner.waiting.shift()!;
      // Behind the others, if it has more.
      this.#turns.delete(owner);
      if (owner.waiting.length > 0) this.#turns.add(owner);
      this.#begin(owner);
      proceed();
    }
  }
}
