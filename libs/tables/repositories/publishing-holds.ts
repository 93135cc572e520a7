import type { HeldPeriod, BrakeHolder, HoldScope, PublishingHold } from '#domain/publishing-holds.ts';
import { unknownSince, type Restoration } from '#domain/restoration.ts';
import { PortError } from '#ports/errors.ts';
import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import { PUBLISHING_HOLDS } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';

/** A scope as one kind of holder holds it. */
export interface HolderScope extends HoldScope {
  readonly holder: BrakeHolder;
}

/** What the table has of one scope. */
export interface ScopeRow extends HolderScope {
  /** null: it is not held now. */
  readonly hold: PublishingHold | null;
  /** Times in which it was held before, oldest first: missed windows stood still then. */
  readonly ended: readonly { readonly from: number; readonly until: number }[];
  /** Of the scope that a restore holds: kept for good, since a Variant may be retried weeks later. */
  readonly restoration?: Restoration;
}

export interface KnownHolds {
  readonly holds: readonly PublishingHold[];
  /** Of these holds, and of those that ended in the last days. */
  readonly periods: readonly HeldPeriod[];
  /** null: this installation was never restored from a backup. */
  readonly restoration: Restoration | null;
}

export interface HoldWriter {
  readonly store: TableStore;
  readonly ids: { readonly token: () => string };
}

const PARTITION: Key = ['holds'];
const ROWS_A_SLICE = 1_000;
const DAY_MS = 86_400_000;
/** Far longer than any missed window, and than a first comment is tried for. */
const ENDED_KEPT_MS = 8 * DAY_MS;
/** Beyond this the two oldest become one, with what lies between them: a window is rather longer than shorter. */
const MAX_ENDED = 20;

/** All holds of the installation, as of the latest acknowledged write. Rejects with `PortError`. */
export async function readHolds(store: TableStore): Promise<KnownHolds> {
  const rows = await allRows(store, PUBLISHING_HOLDS, PARTITION, ROWS_A_SLICE);
  return knownHoldsOf(rows.flatMap((row) => decodeBody<ScopeRow>(row) ?? []));
}

/** What all rows of the table say together. */
export function knownHoldsOf(rows: readonly ScopeRow[]): KnownHolds {
  return {
    holds: rows.flatMap(({ hold }) => hold ?? []),
    periods: rows.flatMap(periodsOf),
    restoration: rows.find(({ holder }) => holder === 'restore')?.restoration ?? null,
  };
}

function periodsOf(row: ScopeRow): readonly HeldPeriod[] {
  const { network, workspaceId, ended } = row;
  const before = ended.map((period) => ({ network, workspaceId, ...period }));
  const from = heldFrom(row);
  return from === null ? before : [...before, { network, workspaceId, from, until: null }];
}

/** A copy sends nothing from the instant on that it is a copy of, so missed windows stand still from then. */
function heldFrom({ hold, restoration }: ScopeRow): number | null {
  if (hold === null) return null;
  return restoration === undefined ? hold.since : unknownSince(restoration);
}

/**
 * Holds the scope; of one that is held already only the reason changes. Resolves with the hold as it is from now on,
 * and whether it is new. Rejects with `PortError`.
 */
export function holdScope(
  writer: HoldWriter,
  hold: PublishingHold,
): Promise<{ readonly hold: PublishingHold; readonly isNew: boolean }> {
  return changeScope(writer, hold, (before) => {
    const kept = before.hold === null ? hold : { ...before.hold, reason: hold.reason };
    return { next: { ...before, hold: kept }, answer: { hold: kept, isNew: before.hold === null } };
  });
}

/** Ends exactly this holder's hold of the scope; null: there is none. Rejects with `PortError`. */
export function releaseScope(writer: HoldWriter, scope: HolderScope, now: number): Promise<PublishingHold | null> {
  return changeScope(writer, scope, (before) => {
    if (before.hold === null) return { next: null, answer: null };
    return { next: endedAt(before, now), answer: before.hold };
  });
}

/** The row without its hold, whose time is kept. */
export function endedAt(before: ScopeRow, now: number): ScopeRow {
  const from = heldFrom(before);
  if (from === null) return before;
  const period = { from, until: Math.max(now, from) };
  return { ...before, hold: null, ended: keptOf([...before.ended, period], now) };
}

function keptOf(ended: ScopeRow['ended'], now: number): ScopeRow['ended'] {
  const kept = ended.filter(({ until }) => until > now - ENDED_KEPT_MS);
  if (kept.length <= MAX_ENDED) return kept;
  const [first, second, ...others] = kept;
  return [{ from: first!.from, until: second!.until }, ...others];
}

const TRIES = 8;

/** By compare-and-set, again when another process was first. `next` null: nothing is written. */
export async function changeScope<T>(
  { store, ids }: HoldWriter,
  { network, workspaceId, holder }: HolderScope,
  change: (before: ScopeRow) => { readonly next: ScopeRow | null; readonly answer: T },
): Promise<T> {
  const clustering = [`${network ?? '*'} ${workspaceId ?? '*'} ${holder}`];
  for (let tries = 0; tries < TRIES; tries++) {
    const row = await store.read(PUBLISHING_HOLDS, PARTITION, clustering, { serial: true });
    const before = (row && decodeBody<ScopeRow>(row)) ?? { network, workspaceId, holder, hold: null, ended: [] };
    const { next, answer } = change(before);
    if (next === null) return answer;
    const write = replacing(PARTITION, clustering, {
      over: row?.version ?? null,
      value: next,
      token: ids.token(),
      // What is held stays for good; what is not is of no use once its last period is forgotten.
      ...(next.hold === null && next.restoration === undefined && { ttlSeconds: (2 * ENDED_KEPT_MS) / 1000 }),
    });
    if (await settledWrite(store, PUBLISHING_HOLDS, write)) return answer;
  }
  throw new PortError('unavailable', 'other processes change the same hold all the time');
}
