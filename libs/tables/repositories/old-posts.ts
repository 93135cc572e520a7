import type { Post } from '#domain/post/post.ts';
import type { Key, Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { POST_DAYS, POSTS, POSTS_BY_DUE_WEEK } from '../declarations/tables.ts';
import { assemblePost, groupByPost, MAX_PARTS } from './posts.ts';

/** Days or weeks of a Workspace that are looked at in one round; what is older comes first. */
const MOST_OF_A_ROUND = 1_000;
const ROWS_A_SLICE = 1_000;

/**
 * The oldest days on which Posts were written, or weeks in which some are due, before `until`, ascending. Rejects with
 * `PortError`.
 */
export async function oldestDirectory(
  store: TableStore,
  workspaceId: string,
  kind: 'written' | 'due',
  until: number,
): Promise<readonly number[]> {
  const limit = MOST_OF_A_ROUND;
  const rows = await store.slice(POST_DAYS, [workspaceId], { prefix: [kind], until: [until], limit });
  return rows.filter(({ body }) => body.length > 0).map(({ clustering }) => clustering[1] as number);
}

/**
 * All Posts that were written on a day, at most `size` at once, newest first; removed ones are left out. Rejects with
 * `PortError`.
 */
export async function* postsOfOldDay(
  store: TableStore,
  { workspaceId, day }: { readonly workspaceId: string; readonly day: number },
  size: number,
): AsyncGenerator<readonly Post[]> {
  for (let after: Key | null = null; ;) {
    const rows: readonly Row[] = await store.slice(POSTS, [workspaceId, day], {
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
export async function weekIsEmpty(store: TableStore, workspaceId: string, week: number): Promise<boolean> {
  for (let after: Key | null = null; ;) {
    const rows: readonly Row[] = await store.slice(POSTS_BY_DUE_WEEK, [workspaceId, week], {
      limit: ROWS_A_SLICE,
      ...(after !== null && { after }),
    });
    if (rows.some(({ body }) => body.length > 0)) return false;
    if (rows.length < ROWS_A_SLICE) return true;
    after = rows.at(-1)!.clustering;
  }
}
