import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { endIn, remainingMs, type WaitEnd } from './wait-end.ts';
import { takeUses, type QuotaWindow } from '#tables/repositories/network-uses.ts';

interface Block {
  readonly left: number;
  readonly until: number;
  /** Uses that were asked for; the next block may have twice as many if this one is used up before its end. */
  readonly maxUses: number;
}

export type QuotaOptions = Pick<WorldPorts, 'store' | 'clock' | 'ids'>;

const MAX_SCOPES = 10_000;
const MAX_BLOCK_MS = 60_000;
/** A block is at most this part of a quota: the rest is for other processes. */
const BLOCK_SHARE = 10;

/**
 * Keeps the publishers of all processes within what a Network allows. Uses are taken from the store in blocks that grow
 * under load, so a single use costs one write and a burst costs few; uses left in a block at its end are lost.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #blocks = createBoundedMap<string, Block>(MAX_SCOPES);
  /** Of scopes whose uses were found to be spent: when one becomes free, which nothing can bring forward. */
  readonly #spentUntil = createBoundedMap<string, WaitEnd>(MAX_SCOPES);
  /** The end of the last take of each scope: takes of one scope run one after the other. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(options: QuotaOptions) {
    this.#options = options;
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

  /** Milliseconds in which there certainly is no use, as far as this process knows; 0: one may be there. */
  spentMs(scope: string): number {
    return remainingMs(this.#spentUntil.get(scope), this.#options.clock);
  }

  async #take(scope: string, windows: readonly QuotaWindow[]): Promise<number> {
    const { store, clock, ids } = this.#options;
    const now = clock.now();
    const block = this.#blocks.get(scope);
    if (block !== undefined && block.left > 0 && now < block.until)
      return this.#keep(scope, { ...block, left: block.left - 1 });
    const smallest = Math.min(...windows.map(({ uses }) => uses));
    const cap = Math.max(1, Math.floor(smallest / BLOCK_SHARE));
    const isUsedUp = block !== undefined && block.left === 0 && now < block.until;
    const maxUses = isUsedUp ? Math.min(cap, block.maxUses * 2) : 1;
    const lastsMs = Math.min(MAX_BLOCK_MS, ...windows.map(({ windowMs }) => windowMs / 20));
    const taken = await takeUses(store, { scope, windows, maxUses, lastsMs, now, token: ids.token() });
    if (taken.kind === 'spent') {
      this.#spentUntil.set(scope, endIn(taken.forMs, clock));
      return taken.forMs;
    }
    return this.#keep(scope, { left: taken.count - 1, until: taken.until, maxUses });
  }

  #keep(scope: string, block: Block): 0 {
    this.#blocks.set(scope, block);
    return 0;
  }
}
