import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import { takeUses, type QuotaWindow } from '#tables/repositories/network-uses.ts';

interface Held {
  readonly left: number;
  readonly until: number;
  /** What the next block may hold at most: it grows while blocks are used up before their end. */
  readonly most: number;
}

const MAX_SCOPES = 10_000;
const MAX_BLOCK_MS = 60_000;
/** Of an allowance, in one block: the others are for other processes. */
const BLOCK_SHARE = 10;

/**
 * Keeps publishers within what a Network allows, all processes together. Uses are taken from the store in blocks that
 * grow under load, so a single use costs one write and a burst costs few; what is left of a block at its end is lost.
 */
export class Quota {
  readonly #parts: { readonly store: TableStore; readonly clock: Clock; readonly ids: Ids };
  readonly #held = createBoundedMap<string, Held>(MAX_SCOPES);
  /** Takers of one scope go one after the other. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(parts: { readonly store: TableStore; readonly clock: Clock; readonly ids: Ids }) {
    this.#parts = parts;
  }

  /** Takes one use: 0, or milliseconds until there may be one. Rejects with `PortError`. */
  take(scope: string, windows: readonly QuotaWindow[]): Promise<number> {
    if (windows.length === 0) return Promise.resolve(0);
    const taken = (this.#tails.get(scope) ?? Promise.resolve()).then(() => this.#take(scope, windows));
    const tail = taken
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(scope) === tail) this.#tails.delete(scope);
      });
    this.#tails.set(scope, tail);
    return taken;
  }

  async #take(scope: string, windows: readonly QuotaWindow[]): Promise<number> {
    const { store, clock, ids } = this.#parts;
    const now = clock.now();
    const held = this.#held.get(scope);
    if (held !== undefined && held.left > 0 && now < held.until)
      return this.#keep(scope, { ...held, left: held.left - 1 });
    const smallest = Math.min(...windows.map(({ uses }) => uses));
    const cap = Math.max(1, Math.floor(smallest / BLOCK_SHARE));
    const usedUp = held !== undefined && held.left === 0 && now < held.until;
    const most = usedUp ? Math.min(cap, held.most * 2) : 1;
    const lastsMs = Math.min(MAX_BLOCK_MS, ...windows.map(({ windowMs }) => windowMs / 20));
    const taken = await takeUses(store, { scope, windows, most, lastsMs, now, token: ids.token() });
    if (taken.kind === 'spent') return taken.forMs;
    return this.#keep(scope, { left: taken.count - 1, until: taken.until, most });
  }

  #keep(scope: string, held: Held): 0 {
    this.#held.set(scope, held);
    return 0;
  }
}
