import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { endIn, remainingMs, type WaitEnd } from './wait-end.ts';
import { takeUses, type QuotaWindow, type UseBlock, type UsesRow } from '#tables/repositories/network-uses.ts';

interface Block extends UseBlock {
  readonly left: number;
  readonly lastsMs: number;
  /** It was taken because those before it were used up: uses of these, and when the first of them was taken. */
  readonly before: { readonly uses: number; readonly since: number };
  /** Uses that were asked for; the next block may have twice as many if this one is used up before its end. */
  readonly maxUses: number;
}

/** A scope's row after this process's last take. */
interface LeftRow {
  readonly row: UsesRow;
  /** No other process had written between the last two takes of this one. */
  readonly isAlone: boolean;
  /** By the monotonic clock. */
  readonly writtenAt: number;
}

export type QuotaOptions = Pick<WorldPorts, 'store' | 'clock' | 'ids'>;

const MAX_SCOPES = 10_000;
/** A row has up to some hundreds of blocks. */
const MAX_ROWS = 1_000;
const MAX_BLOCK_MS = 60_000;
/** A block is at most this part of a quota: the rest is for other processes. */
const BLOCK_SHARE = 10;

/**
 * Keeps the publishers of all processes within what a Network allows. Uses are taken from the store in blocks that grow
 * under load, so a single use costs one write and a burst costs few. Uses left in a block at its end are given back by
 * the next take; those of a process that ended are lost. While no other process takes uses of a scope, its row is
 * written without being read.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #blocks = createBoundedMap<string, Block>(MAX_SCOPES);
  readonly #rows = createBoundedMap<string, LeftRow>(MAX_ROWS);
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
    const maxUses = Math.min(cap, usesWanted(block, now));
    const lastsMs = Math.min(MAX_BLOCK_MS, ...windows.map(({ windowMs }) => windowMs / 20));
    const left = this.#rows.get(scope);
    // Before the row says so: after a write whose answer is lost, or with a clock that is put back, none is used that
    // was given back.
    if (block !== undefined) this.#blocks.set(scope, { ...block, left: 0 });
    const taken = await takeUses(store, {
      ...{ scope, windows, maxUses, lastsMs, now, token: ids.token() },
      ...(left !== undefined && this.#isThere(left, windows) && { unread: left.row }),
      ...(block !== undefined && block.left > 0 && { unused: { of: block, count: block.left } }),
    });
    if (taken.kind === 'spent') {
      this.#spentUntil.set(scope, endIn(taken.forMs, clock));
      return taken.forMs;
    }
    const { row, over, block: next } = taken;
    // A row that others write, too, is read first: a conditional write that is refused costs more than a read.
    const isAlone = left !== undefined && over === left.row.version;
    this.#rows.set(scope, { row, isAlone, writtenAt: clock.monotonic() });
    return this.#keep(scope, { ...next, left: next.count - 1, lastsMs, maxUses, before: usedBefore(block, now) });
  }

  /**
   * Whether the row certainly is as this process left it, or refuses a write over that. A row that expired meanwhile
   * may have been begun anew by another process, whose versions are counted from 1 again.
   */
  #isThere({ isAlone, writtenAt }: LeftRow, windows: readonly QuotaWindow[]): boolean {
    const keptMs = Math.max(...windows.map(({ windowMs }) => windowMs));
    return isAlone && this.#options.clock.monotonic() - writtenAt < keptMs;
  }

  #keep(scope: string, block: Block): 0 {
    this.#blocks.set(scope, block);
    return 0;
  }
}

/**
 * Twice as many as of a block that was used up before its end; as many as were used a moment ago, where the block ended
 * by time; else one, since uses are rare and what is left of a block is out of reach of others until its end.
 */
function usesWanted(block: Block | undefined, now: number): number {
  if (block === undefined || now >= block.until + block.lastsMs) return 1;
  return now < block.until ? block.maxUses * 2 : Math.max(1, block.before.uses + block.count - block.left);
}

/** Of about as long as a block lasts: load that is over must not make blocks large. */
function usedBefore(block: Block | undefined, now: number): Block['before'] {
  if (block === undefined || now >= block.until || now >= block.before.since + block.lastsMs)
    return { uses: 0, since: now };
  return { uses: block.before.uses + block.count, since: block.before.since };
}
