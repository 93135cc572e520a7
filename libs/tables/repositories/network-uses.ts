import type { Row } from '#ports/table.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { NETWORK_USES } from '../declarations/tables.ts';

/** So many uses in any stretch of `windowMs`. */
export interface QuotaWindow {
  readonly uses: number;
  readonly windowMs: number;
}

/** Uses that one process took: it makes them from `at` on and before `until`, or not at all. */
export interface UseBlock {
  readonly at: number;
  readonly until: number;
  readonly count: number;
}

/** A scope's row, as who wrote it last knows it. */
export interface UsesRow {
  readonly version: number;
  readonly blocks: readonly UseBlock[];
}

export type TakeResult =
  | {
      readonly kind: 'taken';
      readonly block: UseBlock;
      readonly row: UsesRow;
      /** The version that this write replaced; null: there was no row. */
      readonly over: number | null;
    }
  /** All uses are taken; one becomes free after `forMs`. */
  | { readonly kind: 'spent'; readonly forMs: number };

export interface TakeRequest {
  /** Whose uses: `x app`, `x account 77`. */
  readonly scope: string;
  readonly windows: readonly QuotaWindow[];
  /** Takes up to so many, and at least one unless all are spent. */
  readonly maxUses: number;
  /** For how long the uses may be made. */
  readonly lastsMs: number;
  readonly now: number;
  readonly token: string;
  /**
   * The row as this process wrote it last, which is then not read. If another process wrote since, the write is refused
   * and tells what is there; where uses seem to be spent, the row is read after all. Left out: it is read.
   */
  readonly unread?: UsesRow;
  /** Uses of an earlier block of this process that it will not make: they are given back. */
  readonly unused?: { readonly of: UseBlock; readonly count: number };
}

const ATTEMPTS = 20;

/**
 * Takes uses, durably, before any of them is made, so that the quota holds over all replicas, restarts and changes of
 * owner. A block counts from its taking until a window after its end, used or not, but for what is given back. Rejects
 * with `PortError`; then a block may count that no process uses.
 */
export async function takeUses(store: TableStore, request: TakeRequest): Promise<TakeResult> {
  const { scope, windows, now, token } = request;
  const longestMs = Math.max(...windows.map(({ windowMs }) => windowMs));
  const writeOver = (over: UsesRow | null, blocks: readonly UseBlock[]) =>
    replacing([scope], [], {
      over: over?.version ?? null,
      value: blocks,
      token,
      ttlSeconds: Math.ceil((longestMs + request.lastsMs + CLOCK_SKEW_MS) / 1000) + 1,
    });
  const read = async (): Promise<UsesRow | null> => usesOf(await store.read(NETWORK_USES, [scope], []));
  let isUnread = request.unread !== undefined;
  let row = request.unread ?? (await read());
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = givenBack(row?.blocks ?? [], request.unused);
    const blocks = known
      .map((block) => notAhead(block, request))
      .filter((block) => countsUntil(block, longestMs) > now);
    const free = Math.min(...windows.map((window) => window.uses - usedOf(blocks, window, now)));
    if (free < 1 && isUnread) {
      isUnread = false;
      row = await read();
      continue;
    }
    if (free < 1) {
      // Kept, or they would be as of the next look then.
      if (known.some((block) => isAhead(block, now))) await store.compareAndSet(NETWORK_USES, writeOver(row, blocks));
      return { kind: 'spent', forMs: Math.max(...windows.map((window) => freeAfter(blocks, window, now))) };
    }
    const block: UseBlock = { at: now, until: now + request.lastsMs, count: Math.min(free, request.maxUses) };
    const write = writeOver(row, [...blocks, block]);
    const outcome = await store.compareAndSet(NETWORK_USES, write);
    if (outcome.applied) {
      const written = { version: write.next.version, blocks: [...blocks, block] };
      return { kind: 'taken', block, row: written, over: row?.version ?? null };
    }
    isUnread = false;
    row = usesOf(outcome.current);
  }
  throw new PortError('unavailable', `the uses of ${scope} keep changing`);
}

function usesOf(row: Row | null): UsesRow | null {
  return row === null ? null : { version: row.version, blocks: decodeBody<readonly UseBlock[]>(row) ?? [] };
}

/** A block that is not found as it was taken has been given back before, or counts no more. */
function givenBack(blocks: readonly UseBlock[], unused: TakeRequest['unused']): readonly UseBlock[] {
  if (unused === undefined) return blocks;
  const { at, until, count } = unused.of;
  // Another process may have taken an equal one: then it is the same which of them becomes smaller.
  const index = blocks.findIndex((each) => each.at === at && each.until === until && each.count === count);
  return index < 0 ? blocks : blocks.with(index, { at, until, count: count - unused.count });
}

/** Taken by a clock that led, as far ahead of ours as none is. */
function isAhead({ at }: UseBlock, now: number): boolean {
  return at > now + CLOCK_SKEW_MS;
}

/** When a block was really taken that is ahead is not known, but it was before now. */
function notAhead(block: UseBlock, { now, lastsMs }: Pick<TakeRequest, 'now' | 'lastsMs'>): UseBlock {
  return isAhead(block, now) ? { ...block, at: now, until: now + lastsMs } : block;
}

/** A block counts for its window, and for CLOCK_SKEW_MS longer, because the clocks of replicas differ. */
function countsUntil(block: UseBlock, windowMs: number): number {
  return block.until + windowMs + CLOCK_SKEW_MS;
}

function usedOf(blocks: readonly UseBlock[], { windowMs }: QuotaWindow, now: number): number {
  return blocks.reduce((sum, block) => sum + (countsUntil(block, windowMs) > now ? block.count : 0), 0);
}

/** Milliseconds until enough blocks have left the window for one use; 0 when one is free. */
function freeAfter(blocks: readonly UseBlock[], window: QuotaWindow, now: number): number {
  let used = usedOf(blocks, window, now);
  const leaving = blocks
    .map((block) => ({ at: countsUntil(block, window.windowMs), count: block.count }))
    .sort((a, b) => a.at - b.at);
  for (const { at, count } of leaving) {
    if (used < window.uses) return 0;
    if (at <= now) continue;
    used -= count;
    if (used < window.uses) return at - now;
  }
  return 0;
}
