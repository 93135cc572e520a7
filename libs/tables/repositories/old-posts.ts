import type { Post } from '#domain/post/post.ts';
import type { Key, Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { bucketNumber } from '../buckets.ts';
import { POSTS, POSTS_BY_DUE_WEEK } from '../declarations/tables.ts';
import type { ListedPeriod } from './post-days.ts';
import { assemblePost, groupByPost, MAX_PARTS } from './posts.ts';

const ROWS_A_SLICE = 1_000;

/**
 * All Posts that were written on a day, at most `size` at once, newest first; removed ones are left out. Rejects with
 * `PortError`.
 */
export async function* postsOfOldDay(
  store: TableStore,
  { workspaceId, day: { number, ends } }: { readonly workspaceId: string; readonly day: ListedPeriod },
  size: number,
): AsyncGenerator<readonly Post[]> {
  for (let bucket = ends.length; bucket >= 0; bucket--)
    yield* postsOfBucket(store, [workspaceId, bucketNumber(number, bucket)], size);
}

async function* postsOfBucket(store: TableStore, partition: Key, size: number): AsyncGenerator<readonly Post[]> {
  for (let after: Key | null = null; ;) {
    const rows: readonly Row[] = await store.slice(POSTS, partition, {
      limit: ROWS_A_SLICE,
      ...(after !== null && { after }),
    });
    const groups = groupByPost(rows);
    // The last Post may go on in the next slice, which has room for it: no Post has as many rows as a slice.
    if (rows.length === ROWS_A_SLICE) groups.pop();
    const posts = groups.map(assemblePost).filter((post) => post !== null);
    for (let from = 0; from < posts.length; from += size) yield posts.slice(from, from + size);
    if (rows.length < ROWS_A_SLICE) return;
    after = [groups.at(-1)![0]!.clustering[0]!, MAX_PARTS];
  }
}

/** Whether no Post is due in a week any more. Rejects with `PortError`. */
export async function weekIsEmpty(
  store: TableStore,
  workspaceId: string,
  { number, ends }: ListedPeriod,
): Promise<boolean> {
  for (let bucket = ends.length; bucket >= 0; bucket--)
    if (!(await bucketIsEmpty(store, [workspaceId, bucketNumber(number, bucket)]))) return false;
  return true;
}

async function bucketIsEmpty(store: TableStore, partition: Key): Promise<boolean> {
  for (let after: Key | null = null; ;) {
    const rows: readonly Row[] = await store.slice(POSTS_BY_DUE_WEEK, partition, {
      limit: ROWS_A_SLICE,
      ...(after !== null && { after }),
    });
    if (rows.some(({ body }) => body.length > 0)) return false;
    if (rows.length < ROWS_A_SLICE) return true;
    after = rows.at(-1)!.clustering;
  }
}
