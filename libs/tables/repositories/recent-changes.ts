import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';
import { RECENT_CHANGES, WORKSPACES } from '../declarations/tables.ts';
import { HEAD } from './workspaces.ts';

/** Posts that a change names; one of more says only that there are many. */
const MAX_IDS = 100;

/** Posts by id; `all`: too many to name. */
export type ChangedPosts = readonly string[] | 'all';

/** What a turn changed of all that pages show while they are open. */
export interface RecentChange {
  /** Of the head that the turn made: it grows with every turn of the Workspace, and no two turns have the same. */
  readonly version: number;
  /** The turn's instant, by the clock of its owner. */
  readonly at: number;
  readonly postIds: ChangedPosts;
  /** Whether a Channel changed. */
  readonly channels: boolean;
}

const HOUR_MS = 3_600_000;
/**
 * How long after its turn a change can come and still be read. The owner may end before it writes the row: then the
 * next owner does, once it has taken over.
 */
const LATE_MS = 10 * 60_000;
const TTL_SECONDS = 15 * 60;
const SLICE_ROWS = 200;

export function boundedIds(ids: ReadonlySet<string>): ChangedPosts {
  return ids.size > MAX_IDS ? 'all' : [...ids];
}

export function changeRow(workspaceId: string, { version, ...value }: RecentChange): Omit<RowEffect, 'table'> {
  return { partition: [workspaceId, hourOf(value.at)], clustering: [version], value, ttlSeconds: TTL_SECONDS };
}

/**
 * The changes of turns after the one that made version `after`, of the last ten minutes, in the order of turns. A
 * change that is there may be missing from an answer that has a later one: reads of replicas, and of two partitions,
 * are not of one instant. The next read, if it begins after this one ended, has it. Rejects with `PortError`.
 */
export async function readChanges(
  store: TableStore,
  workspaceId: string,
  { after, now }: { readonly after: number; readonly now: number },
): Promise<readonly RecentChange[]> {
  // The clock of the owner may be behind ours, or ahead of it.
  const first = hourOf(now - LATE_MS - CLOCK_SKEW_MS);
  const hours = Array.from({ length: hourOf(now + CLOCK_SKEW_MS) - first + 1 }, (_, index) => first + index);
  const changes = await Promise.all(hours.map((hour) => changesOfHour(store, [workspaceId, hour], after)));
  return changes.flat().toSorted((one, other) => one.version - other.version);
}

async function changesOfHour(
  store: TableStore,
  partition: readonly [string, number],
  after: number,
): Promise<readonly RecentChange[]> {
  const changes: RecentChange[] = [];
  for (let last = after; ;) {
    // From `after` on: the rows before it, and what Cassandra keeps of those that expired, are not read.
    const rows = await store.slice(RECENT_CHANGES, partition, { after: [last], limit: SLICE_ROWS });
    for (const row of rows) {
      const body = decodeBody<Omit<RecentChange, 'version'>>(row);
      last = row.clustering[0] as number;
      if (body !== null) changes.push({ version: last, ...body });
    }
    if (rows.length < SLICE_ROWS) return changes;
  }
}

/** The version of the Workspace's head; 0: there is no such Workspace. Rejects with `PortError`. */
export async function readVersion(store: TableStore, workspaceId: string): Promise<number> {
  return (await store.read(WORKSPACES, [workspaceId], HEAD))?.version ?? 0;
}

function hourOf(instant: number): number {
  return Math.floor(instant / HOUR_MS);
}
