import type { ChannelState } from '#domain/channel/channel.ts';
import type { Network } from '#domain/network.ts';
import { postIdOfVariant, variantNumberOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { DuePost } from '#domain/workspace/commands.ts';
import type { HeldCounts, WorkspaceState } from '#domain/workspace/state.ts';
import type { Key, Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import { HELD_VARIANTS, HELD_WORKSPACES } from '../declarations/tables.ts';
import { shardOf } from '../declarations/topics.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';

/** One Channel with Variants that a hold keeps back, or kept back. */
export interface HeldChannel extends HeldCounts {
  readonly channelId: string;
  readonly network: Network;
  readonly state: ChannelState;
}

export interface HeldWorkspace {
  readonly workspaceId: string;
  readonly channels: readonly HeldChannel[];
}

/** Rows of what is not held any more are void, and gone after this. */
const VOID_SECONDS = 86_400;

export function heldWorkspaceOf(state: WorkspaceState): HeldWorkspace {
  const channels = Object.entries(state.held ?? {}).map(([channelId, counts]) => {
    const { network, state: channelState } = state.channels[channelId]!;
    return { channelId, network, state: channelState, ...counts };
  });
  return { workspaceId: state.id, channels };
}

/** The row by which releases find the Workspace: void when nothing of it is held. */
export function heldWorkspaceRow(state: WorkspaceState): RowEffect {
  const held = heldWorkspaceOf(state);
  return {
    table: HELD_WORKSPACES.name,
    partition: [shardOf(state.id)],
    clustering: [state.id],
    ...(held.channels.length === 0 ? { value: null, ttlSeconds: VOID_SECONDS } : { value: held }),
  };
}

/** The rows of these Variants in the queues of their Channels; of those that never were in one there is none. */
export function heldVariantRows(post: Post, variants: readonly Variant[]): readonly RowEffect[] {
  return variants.flatMap(({ id, channelId, dueAt, attempt, hold }): readonly RowEffect[] => {
    if (hold === undefined) return [];
    const row = { table: HELD_VARIANTS.name, partition: [post.workspaceId, channelId], clustering: [dueAt, id] };
    return [{ ...row, ...(hold.waiting ? { value: { attempt } } : { value: null, ttlSeconds: VOID_SECONDS }) }];
  });
}

const ROWS_A_SLICE = 1_000;

/** Rejects with `PortError`. */
export async function listHeldWorkspaces(store: TableStore, shard: number): Promise<readonly HeldWorkspace[]> {
  const rows = await allRows(store, HELD_WORKSPACES, [shard], ROWS_A_SLICE);
  return rows.flatMap((row) => decodeBody<HeldWorkspace>(row) ?? []);
}

/** Null: nothing of the Workspace is held. Rejects with `PortError`. */
export async function readHeldWorkspace(store: TableStore, workspaceId: string): Promise<HeldWorkspace | null> {
  const row = await store.read(HELD_WORKSPACES, [shardOf(workspaceId)], [workspaceId]);
  return row === null ? null : decodeBody<HeldWorkspace>(row);
}

/** The first Variants of a Channel that wait, in the order of their due times, then of writing. */
export async function firstHeldVariants(
  store: TableStore,
  { workspaceId, channelId }: { readonly workspaceId: string; readonly channelId: string },
  count: number,
): Promise<readonly DuePost[]> {
  const found: DuePost[] = [];
  // Those that were released lately are void rows before them.
  for (let after: Key | null = null; found.length < count;) {
    const rows: readonly Row[] = await store.slice(HELD_VARIANTS, [workspaceId, channelId], {
      limit: ROWS_A_SLICE,
      ...(after === null ? {} : { after }),
    });
    found.push(...rows.flatMap(dueOf));
    if (rows.length < ROWS_A_SLICE) break;
    after = rows.at(-1)!.clustering;
  }
  return found.slice(0, count);
}

function dueOf(row: Row): readonly DuePost[] {
  const body = decodeBody<{ readonly attempt: number }>(row);
  const variantId = String(row.clustering[1]);
  if (body === null) return [];
  return [{ postId: postIdOfVariant(variantId), attempt: body.attempt, variants: [variantNumberOf(variantId)] }];
}
