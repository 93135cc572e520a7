import type { Channel } from '#domain/channel/channel.ts';
import type { Endpoints } from '#domain/webhook/endpoint.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { completeState, type StoredState } from '#domain/workspace/stored-state.ts';
import type { Row } from '#ports/table.ts';
import type { PartitionPage, TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import type { PendingEffects } from '../rows/pending-effects.ts';
import { WORKSPACES, WORKSPACE_VIEWS } from '../declarations/tables.ts';

export const HEAD = ['head', ''] as const;
export const resultKey = (requestId: string) => ['result', requestId] as const;
export const idempotencyKeyOf = (key: string) => ['idempotency', key] as const;
export const REMOVAL = ['removal', ''] as const;
export const CHANNELS_VIEW = ['channels'] as const;
export const ENDPOINTS_VIEW = ['endpoints'] as const;

/** The head row's body: the truth, and what its last turn still owes the world. */
export interface HeadBody {
  readonly state: WorkspaceState;
  /** Of the turn whose token the row carries; null when all of it is known to be done. */
  readonly pending: PendingEffects | null;
}

export const NOTHING_PENDING = 'null';

export interface Head extends HeadBody {
  readonly version: number;
  /** The id of the turn that wrote it. */
  readonly token: string;
}

/** A head's body as any release wrote it. */
interface StoredHeadBody extends Omit<HeadBody, 'state'> {
  readonly state: StoredState;
}

/** By an Idempotency-Key: the Post that a repeat is answered with, and the digest that a repeat must have. */
export interface IdempotencyKey {
  readonly postId: string;
  readonly digest: string;
  readonly createdAt: number;
}

/** Null when the Workspace does not know the key, or its time is over. Rejects with `PortError`. */
export async function readIdempotencyKey(
  store: TableStore,
  workspaceId: string,
  key: string,
): Promise<IdempotencyKey | null> {
  const row = await store.read(WORKSPACES, [workspaceId], idempotencyKeyOf(key));
  return row === null ? null : decodeBody<IdempotencyKey>(row);
}

/** Null when there is no such Workspace. `serial` settles turns in flight. Rejects with `PortError`. */
export async function readHead(
  store: TableStore,
  workspaceId: string,
  options?: { readonly serial?: boolean },
): Promise<Head | null> {
  const row = await store.read(WORKSPACES, [workspaceId], HEAD, options);
  return row === null ? null : decodeHead(workspaceId, row);
}

/** Of the present head, read serially; 0: there is no such Workspace. Rejects with `PortError`. */
export async function readHeadVersion(store: TableStore, workspaceId: string): Promise<number> {
  return (await store.read(WORKSPACES, [workspaceId], HEAD, { serial: true }))?.version ?? 0;
}

function decodeHead(workspaceId: string, row: Row): Head {
  const body = decodeBody<StoredHeadBody>(row);
  if (body === null) throw new Error(`the head of workspace ${workspaceId} is void`);
  const { state, pending } = body;
  return { state: completeState(state), pending, version: row.version, token: row.token };
}

/** Ids of Workspaces, a page of them in an order that is the store's own. Rejects with `PortError`. */
export async function listWorkspaceIds(
  store: Pick<TableStore, 'partitions'>,
  page: PartitionPage,
): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> {
  const { keys, next } = await store.partitions(WORKSPACES, page);
  return { ids: keys.map(([workspaceId]) => String(workspaceId)), next };
}

/**
 * A command's result as its turn wrote it, null when there is none; for the owner of the Workspace, who carries out
 * what the head of that turn owes before it answers. Rejects with `PortError`.
 */
export async function readWrittenResult(
  store: TableStore,
  workspaceId: string,
  requestId: string,
): Promise<Result | null> {
  const row = await store.read(WORKSPACES, [workspaceId], resultKey(requestId));
  return row === null ? null : decodeBody<Result>(row);
}

/**
 * A command's result, once it can be relied on: null when there is none, or its turn may still owe rows that readers
 * would miss.
 */
export async function readResult(store: TableStore, workspaceId: string, requestId: string): Promise<Result | null> {
  const found = await findResult(store, workspaceId, requestId);
  return found === 'owed' ? null : found;
}

/**
 * A command's result; `owed`: there is one, whose turn is not known to have brought about all it owes; null: there is
 * none.
 */
export async function findResult(
  store: TableStore,
  workspaceId: string,
  requestId: string,
): Promise<Result | 'owed' | null> {
  const row = await store.read(WORKSPACES, [workspaceId], resultKey(requestId));
  if (row === null) return null;
  // Serial: a plain read might see a head older than the row.
  const head = await store.read(WORKSPACES, [workspaceId], HEAD, { serial: true });
  // A head of a later turn, which is most often the case, is not parsed: it may be large.
  if (head?.token === row.token && decodeHead(workspaceId, head).pending !== null) return 'owed';
  return decodeBody<Result>(row);
}

/** The Workspace's endpoints, by id, their secrets sealed; empty when it has none or does not exist. */
export async function readEndpoints(store: TableStore, workspaceId: string): Promise<Endpoints> {
  const row = await store.read(WORKSPACE_VIEWS, [workspaceId], ENDPOINTS_VIEW);
  return row === null ? {} : (decodeBody<Endpoints>(row) ?? {});
}

/** Every Channel that ever was, by id; empty when the Workspace has none or does not exist. */
export async function readChannels(store: TableStore, workspaceId: string): Promise<Readonly<Record<string, Channel>>> {
  const row = await store.read(WORKSPACE_VIEWS, [workspaceId], CHANNELS_VIEW);
  return row === null ? {} : (decodeBody<Record<string, Channel>>(row) ?? {});
}
