import assert from 'node:assert/strict';

/**
 * A permit, or why there is none: `by` names the kind of holder that has its share already; `all`: every permit is
 * held.
 */
export type Permit<K extends string> =
  { readonly granted: true; readonly release: () => void } | { readonly granted: false; readonly by: K | 'all' };

export interface KeyedSemaphoreOptions<K extends string> {
  /** How much goes on at once, for all holders together. */
  readonly permits: number;
  /** By kind of holder: how many permits one holder of the kind may have at once. */
  readonly maxOf: Readonly<Record<K, number>>;
  /** A holder is refused while it has this many times the permits that are free; 1 when left out. */
  readonly timesFree?: number;
  /** How many may wait for a permit; any number when left out. 0: none waits. */
  readonly maxWaiting?: number;
}

type Holders<K extends string> = Readonly<Record<K, string>>;

/** Those that ask in the name of the same holders: they have permits, or wait for them. */
interface Group<K extends string> {
  readonly id: string;
  readonly holders: Holders<K>;
  held: number;
  /** The number of the grant that was its last, of all grants. */
  lastGrant: number;
  /** In the order of asking. */
  readonly waiting: Set<(permit: Permit<K>) => void>;
}

/**
 * Bounds how much of one thing goes on at once, in all and for each holder: a Workspace, a client, a host. Each permit
 * is held in the name of one holder of every kind.
 *
 * A holder never has more permits than `maxOf` says, nor gets one while it has `timesFree` times as many as are free.
 * With 1, each further holder that takes all it gets leaves half of the rest, so that a newcomer finds a permit until
 * many have come; with 3, a holder that is alone gets three quarters of all, and two together three sevenths each.
 *
 * A group of holders is unknown -> known (it holds or waits) -> unknown. Of the groups that wait and may have a permit,
 * the one that has least of what it may have is next; then the one whose last grant is longest ago, where a newcomer
 * counts as granted just before the last one, so that many newcomers can not starve a group; within a group, the first
 * that asked.
 */
export class KeyedSemaphore<K extends string> {
  readonly #maxOf: Readonly<Record<K, number>>;
  readonly #timesFree: number;
  readonly #maxWaiting: number;
  readonly #kinds: readonly K[];
  readonly #held: Readonly<Record<K, Map<string, number>>>;
  readonly #groups = new Map<string, Group<K>>();
  #free: number;
  #waiting = 0;
  #grants = 0;

  constructor({ permits, maxOf, timesFree = 1, maxWaiting = Infinity }: KeyedSemaphoreOptions<K>) {
    assert(Number.isInteger(permits) && permits > 0, `a semaphore can not have ${permits} permits`);
    this.#maxOf = maxOf;
    this.#timesFree = timesFree;
    this.#maxWaiting = maxWaiting;
    this.#kinds = Object.keys(maxOf) as K[];
    this.#held = Object.fromEntries(this.#kinds.map((kind) => [kind, new Map<string, number>()])) as Record<
      K,
      Map<string, number>
    >;
    this.#free = permits;
  }

  /** Permits that the holder has. */
  held(kind: K, holder: string): number {
    return this.#held[kind].get(holder) ?? 0;
  }

  /** At once or not at all. `release` frees the permit, once however often it is called. */
  tryAcquire(holders: Holders<K>): Permit<K> {
    const by = this.#refusedBy(holders);
    return by === null ? this.#grant(this.#groupOf(holders)) : { granted: false, by };
  }

  /** Waits for a permit until `signal` is aborted; then there is none, for the reason that holds by then. */
  acquire(holders: Holders<K>, signal?: AbortSignal): Promise<Permit<K>> {
    const permit = this.tryAcquire(holders);
    if (permit.granted || signal?.aborted === true || this.#waiting >= this.#maxWaiting) return Promise.resolve(permit);
    const group = this.#groupOf(holders);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        end({ granted: false, by: this.#refusedBy(holders) ?? 'all' });
        this.#forget(group);
      };
      const end = (permit: Permit<K>): void => {
        group.waiting.delete(end);
        this.#waiting -= 1;
        signal?.removeEventListener('abort', giveUp);
        resolve(permit);
      };
      group.waiting.add(end);
      this.#waiting += 1;
      signal?.addEventListener('abort', giveUp);
    });
  }

  /**
   * Runs `work` with a permit. Aborted before there is one, it rejects with the signal's reason; afterwards it is for
   * `work` to heed the signal. Not for a semaphore with `maxWaiting`.
   */
  async run<T>(holders: Holders<K>, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const permit = await this.acquire(holders, signal);
    if (!permit.granted) signal?.throwIfAborted();
    assert(permit.granted, 'only an aborted signal ends the wait for a permit');
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  #refusedBy(holders: Holders<K>): K | 'all' | null {
    if (this.#free === 0) return 'all';
    const fair = this.#timesFree * this.#free;
    return this.#kinds.find((kind) => this.held(kind, holders[kind]) >= Math.min(this.#maxOf[kind], fair)) ?? null;
  }

  #groupOf(holders: Holders<K>): Group<K> {
    const id = JSON.stringify(this.#kinds.map((kind) => holders[kind]));
    const known = this.#groups.get(id);
    if (known !== undefined) return known;
    const group: Group<K> = { id, holders, held: 0, lastGrant: this.#grants - 1, waiting: new Set() };
    this.#groups.set(id, group);
    return group;
  }

  #forget({ id, held, waiting }: Group<K>): void {
    if (held === 0 && waiting.size === 0) this.#groups.delete(id);
  }

  #grant(group: Group<K>): Permit<K> {
    group.lastGrant = ++this.#grants;
    this.#count(group, 1);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#count(group, -1);
      this.#forget(group);
      this.#admit();
    };
    return { granted: true, release };
  }

  #count(group: Group<K>, by: 1 | -1): void {
    this.#free -= by;
    group.held += by;
    for (const kind of this.#kinds) {
      const holder = group.holders[kind];
      const count = this.held(kind, holder) + by;
      assert(count >= 0, `${kind} ${holder} released more permits than it held`);
      if (count === 0) this.#held[kind].delete(holder);
      else this.#held[kind].set(holder, count);
    }
  }

  #admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [end] = next.waiting;
      end!(this.#grant(next));
    }
  }

  #next(): Group<K> | null {
    let next: Group<K> | null = null;
    let least = Infinity;
    for (const group of this.#groups.values()) {
      if (group.waiting.size === 0 || this.#refusedBy(group.holders) !== null) continue;
      const load = Math.max(...this.#kinds.map((kind) => this.held(kind, group.holders[kind]) / this.#maxOf[kind]));
      if (load > least || (load === least && next !== null && group.lastGrant >= next.lastGrant)) continue;
      next = group;
      least = load;
    }
    return next;
  }
}

/** Of so many permits one in `parts`, at least one. */
export function shareOf(permits: number, parts: number): number {
  return Math.max(1, Math.floor(permits / parts));
}
