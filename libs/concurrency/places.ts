import assert from 'node:assert/strict';

/**
 * A place that was taken, or why there is none: `by` names the kind of holder that has its share already; `all`: none
 * is free for anybody.
 */
export type Place<K extends string> =
  { readonly taken: true; readonly leave: () => void } | { readonly taken: false; readonly by: K | 'all' };

export interface PlacesOptions<K extends string> {
  /** How much goes on at once, whoever it is for. */
  readonly places: number;
  /** By kind of holder: how much of that one holder of the kind may have at once. */
  readonly mostOf: Readonly<Record<K, number>>;
  /** How many may wait for a place; nobody when left out. */
  readonly mostWaiting?: number;
}

interface Waiting<K extends string> {
  readonly holders: Readonly<Record<K, string>>;
  readonly end: (place: Place<K>) => void;
}

/**
 * Bounds how much of one thing goes on at once, in all and for each holder: a Workspace, a client, a host. Each place
 * is taken in the name of one holder of every kind. A holder has never more places than `mostOf` says, nor takes one
 * when it has as many as are still free: so each further holder that takes all it gets leaves half of the rest, and one
 * that has nothing yet finds a place until many have come. Who waits is served by how little it has of what it may
 * have, and then in order.
 */
export class Places<K extends string> {
  readonly #options: PlacesOptions<K>;
  readonly #kinds: readonly K[];
  readonly #taken: Readonly<Record<K, Map<string, number>>>;
  readonly #waiting = new Set<Waiting<K>>();
  #free: number;

  constructor(options: PlacesOptions<K>) {
    assert(options.places > 0, `${options.places} is no number of places`);
    this.#options = options;
    this.#kinds = Object.keys(options.mostOf) as K[];
    this.#taken = Object.fromEntries(this.#kinds.map((kind) => [kind, new Map<string, number>()])) as Record<
      K,
      Map<string, number>
    >;
    this.#free = options.places;
  }

  /** At once or not at all. `leave` frees the place, once however often it is called. */
  take(holders: Readonly<Record<K, string>>): Place<K> {
    const by = this.#refusedBy(holders);
    if (by !== null) return { taken: false, by };
    this.#move(holders, 1);
    let isLeft = false;
    const leave = (): void => {
      if (isLeft) return;
      isLeft = true;
      this.#move(holders, -1);
      this.#serve();
    };
    return { taken: true, leave };
  }

  /** Waits for a place until `signal` is aborted; then there is none, for the reason that holds by then. */
  enter(holders: Readonly<Record<K, string>>, signal: AbortSignal): Promise<Place<K>> {
    const place = this.take(holders);
    if (place.taken || signal.aborted || this.#waiting.size >= (this.#options.mostWaiting ?? 0))
      return Promise.resolve(place);
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.end({ taken: false, by: this.#refusedBy(holders) ?? 'all' });
      const end = (ended: Place<K>): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', giveUp);
        resolve(ended);
      };
      const waiting: Waiting<K> = { holders, end };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', giveUp);
    });
  }

  #refusedBy(holders: Readonly<Record<K, string>>): K | 'all' | null {
    if (this.#free === 0) return 'all';
    const { mostOf } = this.#options;
    return this.#kinds.find((kind) => this.#of(kind, holders) >= Math.min(mostOf[kind], this.#free)) ?? null;
  }

  #of(kind: K, holders: Readonly<Record<K, string>>): number {
    return this.#taken[kind].get(holders[kind]) ?? 0;
  }

  #move(holders: Readonly<Record<K, string>>, by: 1 | -1): void {
    this.#free -= by;
    for (const kind of this.#kinds) {
      const count = this.#of(kind, holders) + by;
      if (count === 0) this.#taken[kind].delete(holders[kind]);
      else this.#taken[kind].set(holders[kind], count);
    }
  }

  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next.end(this.take(next.holders));
  }

  #next(): Waiting<K> | null {
    const { mostOf } = this.#options;
    let next: Waiting<K> | null = null;
    let least = Infinity;
    for (const waiting of this.#waiting) {
      if (this.#refusedBy(waiting.holders) !== null) continue;
      const load = Math.max(...this.#kinds.map((kind) => this.#of(kind, waiting.holders) / mostOf[kind]));
      if (load >= least) continue;
      next = waiting;
      least = load;
    }
    return next;
  }
}

/** Of so many places one in `parts`, at least one. */
export function shareOf(places: number, parts: number): number {
  return Math.max(1, Math.floor(places / parts));
}
