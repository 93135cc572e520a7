import type { Key, Row } from '#ports/table.ts';
import { instantOf, variantNumberOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { TableStore } from '#ports/table-store.ts';
import { dayOf } from '#domain/calendar.ts';
import { decodeBody } from '../rows/body.ts';
import { bucketNumber, bucketOf, ONE_BUCKET } from '../buckets.ts';
import { POSTS } from '../declarations/tables.ts';
import { readBuckets } from './post-days.ts';

/** Part 0 of a Post: all of it but its Variants. */
export type PostContentRow = Omit<Post, 'variants'>;

/** A Variant as its own small row; what follows from the key and the content is left out. */
export type VariantRow = Omit<Variant, 'id'>;

function postPartition({ workspaceId, id, buckets }: Pick<Post, 'workspaceId' | 'id' | 'buckets'>): Key {
  return [workspaceId, bucketNumber(dayOf(instantOf(id)), buckets?.day ?? 0)];
}

/** The (partition, clustering, value) of the content row. */
export function contentRow(post: Post): { partition: Key; clustering: Key; value: PostContentRow } {
  const { variants: _, ...content } = post;
  return { partition: postPartition(post), clustering: [post.id, 0], value: content };
}

export function variantRow(post: Post, variant: Variant): { partition: Key; clustering: Key; value: VariantRow } {
  const { id, ...value } = variant;
  return { partition: postPartition(post), clustering: [post.id, variantNumberOf(id)], value };
}

/** Largest number of rows a Post has: its content and 255 Variants. */
export const MAX_PARTS = 256;

/** Null when the Workspace has no such Post (or its content row is not there). Rejects with `PortError`. */
export function readPost(store: TableStore, workspaceId: string, postId: string): Promise<Post | null> {
  return inItsBucket(store, { workspaceId, postId }, (partition) => readPostOf(store, partition, postId));
}

/** Null: it is not in this partition. Rejects with `PortError`. */
export async function readPostOf(store: TableStore, partition: Key, postId: string): Promise<Post | null> {
  return assemblePost(await store.slice(POSTS, partition, { prefix: [postId], limit: MAX_PARTS }));
}

/**
 * Most days have one bucket, so that is where a Post is looked for first, and only what is not there costs the read of
 * the directory. Nothing of it is remembered: a bucket may have been opened since.
 */
async function inItsBucket<T>(
  store: TableStore,
  { workspaceId, postId }: { readonly workspaceId: string; readonly postId: string },
  read: (partition: Key) => Promise<T | null>,
): Promise<T | null> {
  const day = dayOf(instantOf(postId));
  const found = await read([workspaceId, day]);
  if (found !== null) return found;
  const { ends } = (await readBuckets(store, workspaceId, { kind: 'written', number: day })) ?? ONE_BUCKET;
  const bucket = bucketOf(ends, postId);
  return bucket === 0 ? null : read([workspaceId, bucketNumber(day, bucket)]);
}

/** All of a Post but its Variants; null when the Workspace has no such Post. Rejects with `PortError`. */
export function readPostContent(
  store: TableStore,
  workspaceId: string,
  postId: string,
): Promise<PostContentRow | null> {
  return inItsBucket(store, { workspaceId, postId }, async (partition) => {
    const row = await store.read(POSTS, partition, [postId, 0]);
    return row === null ? null : decodeBody<PostContentRow>(row);
  });
}

/** Puts the rows of one Post, in clustering order, together. */
export function assemblePost(rows: readonly Row[]): Post | null {
  const first = rows[0];
  if (first === undefined || first.clustering[1] !== 0) return null;
  const content = decodeBody<PostContentRow>(first);
  if (content === null) return null;
  const variants: Variant[] = [];
  for (let i = 1; i < rows.length; i++) {
    const row = rows[i]!;
    const body = decodeBody<VariantRow>(row);
    if (body === null) continue;
    const number = row.clustering[1] as number;
    variants.push({ id: content.id.slice(0, -2) + number.toString(16).padStart(2, '0'), ...body });
  }
  return { ...content, variants };
}

/** Rows of a slice by the Post that they are of, in the slice's order. */
export function groupByPost(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]!.clustering[0] === row.clustering[0]) last.push(row);
    else groups.push([row]);
  }
  return groups;
}
