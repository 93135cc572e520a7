import { variantIdOf, variantNumberOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { Table } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { VARIANT_FILES, VARIANT_METRICS, WORKSPACES } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { removing, replacing, settledWrite } from '../rows/replace-row.ts';
import { commentLedgerId, removeFromLedger } from './ledger.ts';
import { REMOVAL } from './workspaces.ts';

/** A Post that is being removed, and which rows there are of it that the Workspace's turn does not end. */
export interface RemovedPost {
  readonly postId: string;
  /** Of its Variants, from 1. */
  readonly variants: number;
  /** Those of them that have a first comment. */
  readonly comments: readonly number[];
}

/**
 * Written down before the turn that removes Posts, since nothing else names what is left of them afterwards: an owner
 * that ended in between is followed by one that goes on from here.
 */
export interface Removal {
  readonly posts: readonly RemovedPost[];
  /** Of its row; null: there is none. */
  readonly version: number | null;
}

export function removedPostOf({ id, variants }: Post): RemovedPost {
  const comments = variants.filter(({ firstComment }) => firstComment !== undefined);
  return { postId: id, variants: variants.length, comments: comments.map((one) => variantNumberOf(one.id)) };
}

/** Rejects with `PortError`. */
export async function readRemoval(store: TableStore, workspaceId: string): Promise<Removal> {
  const row = await store.read(WORKSPACES, [workspaceId], REMOVAL, { serial: true });
  const body = row === null ? null : decodeBody<Pick<Removal, 'posts'>>(row);
  return { posts: body?.posts ?? [], version: row?.version ?? null };
}

/** Replaces the row; null: another owner did so meanwhile. Rejects with `PortError`. */
export async function writeRemoval(
  store: TableStore,
  workspaceId: string,
  { over, posts, token }: { readonly over: Removal } & Pick<Removal, 'posts'> & { readonly token: string },
): Promise<Removal | null> {
  const write =
    posts.length > 0 || over.version === null
      ? replacing([workspaceId], REMOVAL, { over: over.version, value: { posts }, token })
      : removing([workspaceId], REMOVAL, { over: over.version, token });
  return (await settledWrite(store, WORKSPACES, write)) ? { posts, version: write.next.version } : null;
}

/**
 * Removes what is left of a Post that was removed: ledger, files, figures. Rejects with `PortError`; repeating is
 * harmless.
 */
export async function removeTraces(store: TableStore, post: RemovedPost, newToken: () => string): Promise<void> {
  const numbers = Array.from({ length: post.variants }, (_, index) => index + 1);
  const variantIds = numbers.map((number) => variantIdOf(post.postId, number));
  const comments = post.comments.map((number) => commentLedgerId(variantIdOf(post.postId, number)));
  for (const ledgerId of [...variantIds, ...comments]) await removeFromLedger(store, ledgerId, newToken());
  await removeRows(store, VARIANT_FILES, post.postId, newToken);
  await removeRows(store, VARIANT_METRICS, post.postId, newToken);
}

/** A Post has a row for each of its Variants at most. */
const MAX_ROWS = 256;

async function removeRows(store: TableStore, table: Table, postId: string, newToken: () => string): Promise<void> {
  for (const row of await store.slice(table, [postId], { limit: MAX_ROWS }))
    if (row.body.length > 0)
      await store.compareAndSet(table, removing([postId], row.clustering, { over: row.version, token: newToken() }));
}
