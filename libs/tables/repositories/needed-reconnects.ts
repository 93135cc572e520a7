import { NETWORKS, type Network } from '#domain/network.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import { NEEDED_RECONNECTS } from '../declarations/tables.ts';
import { shardOf } from '../declarations/topics.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';

/** How many Channels of a Workspace need a reconnect; a Network without any is left out. */
export type NeededReconnects = Readonly<Partial<Record<Network, number>>>;

/** Rows of Workspaces that need none any more are void, and gone after this. */
const VOID_SECONDS = 86_400;

/** Null: no Channel needs one. */
export function neededReconnectsOf({ channels }: Pick<WorkspaceState, 'channels'>): NeededReconnects | null {
  const needing = Object.values(channels).filter(({ state }) => state === 'needs_reconnect');
  if (needing.length === 0) return null;
  const counts = NETWORKS.map((network) => [network, needing.filter((one) => one.network === network).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The row by which the owner of a shard knows them without reading Workspaces; none: a turn did not change them. */
export function neededReconnectRows(before: WorkspaceState | null, after: WorkspaceState): readonly RowEffect[] {
  if (before?.channels === after.channels) return [];
  const [was, is] = [before === null ? null : neededReconnectsOf(before), neededReconnectsOf(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const row = { table: NEEDED_RECONNECTS.name, partition: [shardOf(after.id)], clustering: [after.id] };
  return [{ ...row, ...(is === null ? { value: null, ttlSeconds: VOID_SECONDS } : { value: is }) }];
}

const ROWS_A_SLICE = 1_000;

/** By Workspace. Rejects with `PortError`. */
export async function listNeededReconnects(
  store: Pick<TableStore, 'slice'>,
  shard: number,
): Promise<ReadonlyMap<string, NeededReconnects>> {
  const found = new Map<string, NeededReconnects>();
  for (const row of await allRows(store, NEEDED_RECONNECTS, [shard], ROWS_A_SLICE)) {
    const counts = decodeBody<NeededReconnects>(row);
    if (counts !== null) found.set(String(row.clustering[0]), counts);
  }
  return found;
}
