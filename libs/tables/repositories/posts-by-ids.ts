import { instantOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import { dayOf } from '#domain/calendar.ts';
import type { Key } from '#ports/table.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { bucketNumber, bucketOf, ONE_BUCKET } from '../buckets.ts';
import { POSTS } from '../declarations/tables.ts';
import { readBuckets } from './post-days.ts';
import { assemblePost, groupByPost, readPostOf } from './posts.ts';

/** So few of a day are read one by one. */
const FEW = 4;
/** Rows of a Post, until some were seen: its content and two Variants. */
const ROWS_OF_A_POST = 3;
/** More rows than any one Post has. */
const PAST_EVERY_PART = 257;
/** When less of a slice than this was asked for, the rest is read one by one. */
const WORTH_A_SLICE = 1 / 3;

/**
 * Those of these Posts that the Workspace has, by id. What an agency writes for one week it writes in few days, one
 * Post after the other: so Posts of a day are read in slices, for as long as slices hold little else. `ids`: newest
 * first. Rejects with `PortError`.
 */
export async function readPosts(
  store: TableStore,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Post>> {
  const found = await Promise.all(byDay(ids).map((ofDay) => postsOfDay(store, workspaceId, ofDay)));
  return new Map(found.flat().map((post) => [post.id, post]));
}

function byDay(ids: readonly string[]): readonly (readonly string[])[] {
  return [...Map.groupBy(ids, (id) => dayOf(instantOf(id))).values()];
}

/** `ids`: of one day. As for one Post, the directory is read only when some are not in the day's first bucket. */
async function postsOfDay(store: TableStore, workspaceId: string, ids: readonly string[]): Promise<readonly Post[]> {
  const day = dayOf(instantOf(ids[0]!));
  const first = await postsOfBucket(store, [workspaceId, day], ids);
  const found = new Set(first.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return first;
  const { ends } = (await readBuckets(store, workspaceId, { kind: 'written', number: day })) ?? ONE_BUCKET;
  const byBucket = [...Map.groupBy(missing, (id) => bucketOf(ends, id))].filter(([bucket]) => bucket > 0);
  const others = await Promise.all(
    byBucket.map(([bucket, of]) => postsOfBucket(store, [workspaceId, bucketNumber(day, bucket)], of)),
  );
  return [...first, ...others.flat()];
}

async function postsOfBucket(store: TableStore, partition: Key, ids: readonly string[]): Promise<readonly Post[]> {
  const posts: Post[] = [];
  const wanted = new Set(ids);
  let left = ids;
  let rowsOfAPost = ROWS_OF_A_POST;
  while (left.length > FEW) {
    const limit = Math.min(MAX_SLICE_ROWS, Math.ceil((left.length + 1) * rowsOfAPost));
    const rows = await store.slice(POSTS, partition, {
      from: [left[0]!],
      until: [left.at(-1)!, PAST_EVERY_PART],
      limit,
    });
    const groups = groupByPost(rows);
    // The last Post may go on in the next slice.
    if (rows.length === limit) groups.pop();
    const asked = groups.filter(([row]) => wanted.has(row!.clustering[0] as string));
    posts.push(...asked.map(assemblePost).filter((post) => post !== null));
    if (rows.length < limit) return posts;
    const last = groups.at(-1)?.[0]!.clustering[0] as string | undefined;
    if (last !== undefined) left = left.filter((id) => id < last);
    if (asked.length < WORTH_A_SLICE * (groups.length + 1)) break;
    rowsOfAPost = rows.length / (groups.length + 1);
  }
  const others = await Promise.all(left.map((id) => readPostOf(store, partition, id)));
  return [...posts, ...others.filter((post) => post !== null)];
}
