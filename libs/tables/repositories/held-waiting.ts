import { parallelMap } from '#concurrency/parallel-map.ts';
import { covers, type HoldScope } from '#domain/publishing-holds.ts';
import type { TableStore } from '#ports/table-store.ts';
import { SHARDS } from '../declarations/topics.ts';
import { listHeldWorkspaces, readHeldWorkspace, type HeldWorkspace } from './held-variants.ts';

const SHARDS_AT_ONCE = 8;

/** How many Variants wait in each of these scopes, in their order. Rejects with `PortError`. */
export async function countWaiting(store: TableStore, scopes: readonly HoldScope[]): Promise<readonly number[]> {
  if (scopes.length === 0) return [];
  const named = new Set(scopes.map(({ workspaceId }) => workspaceId));
  const workspaces = named.has(null) ? await allOf(store) : await these(store, named);
  return scopes.map((scope) => workspaces.reduce((sum, workspace) => sum + waitingIn(scope, workspace), 0));
}

function waitingIn(scope: HoldScope, { workspaceId, channels }: HeldWorkspace): number {
  return channels
    .filter(({ network }) => covers(scope, { network, workspaceId }))
    .reduce((sum, { waiting }) => sum + waiting, 0);
}

async function allOf(store: TableStore): Promise<readonly HeldWorkspace[]> {
  const found: HeldWorkspace[] = [];
  await parallelMap(SHARDS_AT_ONCE, Array(SHARDS).keys(), async (shard) => {
    found.push(...(await listHeldWorkspaces(store, shard)));
  });
  return found;
}

async function these(store: TableStore, ids: ReadonlySet<string | null>): Promise<readonly HeldWorkspace[]> {
  const found: HeldWorkspace[] = [];
  await parallelMap(SHARDS_AT_ONCE, ids, async (id) => {
    const workspace = id === null ? null : await readHeldWorkspace(store, id);
    if (workspace !== null) found.push(workspace);
  });
  return found;
}
