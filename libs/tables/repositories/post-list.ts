import { idFloor, instantOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { Key, Row } from '#ports/table.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { dayOf, dayStart, weekOf } from '#domain/calendar.ts';
import { bucketNumber, bucketOf } from '../buckets.ts';
import { listPeriods, type ListedPeriod } from './post-days.ts';
import { assemblePost, groupByPost } from './posts.ts';
import { readPosts } from './posts-by-ids.ts';
import { POSTS, POSTS_BY_DUE_WEEK } from '../declarations/tables.ts';

export interface PostPage {
  readonly posts: readonly Post[];
  readonly more: boolean;
}

export interface PostListFilter {
  /** [from, to) must hold the instant the Post was written, or the scheduledAt of one of its Variants. */
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
  /** Only Posts written before this one (exclusive). */
  readonly before: string | null;
}

/**
 * A page of a Workspace's Posts, newest written first. Costs what the page holds: empty days and weeks are skipped by
 * their directory, whatever the Workspace holds beside it. `now` tells where recent Posts are, nothing else. Rejects
 * with `PortError`.
 */
export async function listPosts(
  store: TableStore,
  workspaceId: string,
  filter: PostListFilter,
  now = 0,
): Promise<PostPage> {
  const written = writtenPosts(store, workspaceId, filter, now);
  const bounded = filter.from !== null || filter.to !== null;
  const due = bounded ? duePosts(store, workspaceId, filter) : null;
  const posts: Post[] = [];
  const entries = mergeNewestFirst(due === null ? [written] : [written, due]);
  for (;;) {
    // One more than the page holds tells whether there is another.
    const wanted = await takeEntries(entries, filter.limit + 1 - posts.length);
    const known = wanted.flatMap(({ id, post }) => (post === null ? [] : [[id, post] as const]));
    const ids = wanted.flatMap(({ id, post }) => (post === null ? [id] : []));
    const found = new Map([...known, ...(await readPosts(store, workspaceId, ids))]);
    const read = wanted.map(({ id }) => found.get(id) ?? null);
    posts.push(...read.filter((post) => post !== null));
    if (posts.length > filter.limit) return { posts: posts.slice(0, filter.limit), more: true };
    // An index may name a Post that a reader's replica does not have yet; only then is more than one round needed.
    if (wanted.length === read.filter((post) => post !== null).length || wanted.length === 0)
      return { posts, more: false };
  }
}

async function takeEntries(entries: AsyncGenerator<Entry>, count: number): Promise<Entry[]> {
  const taken: Entry[] = [];
  while (taken.length < count) {
    const { done, value } = await entries.next();
    if (done === true) return taken;
    taken.push(value);
  }
  return taken;
}

interface Entry {
  readonly id: string;
  /** Null: known by its index only. */
  readonly post: Post | null;
}

/**
 * Most pages end within so many days of where they begin; a Workspace years old has more days than its pages have
 * Posts.
 */
const NEAR_DAYS = 32;

/**
 * Days that hold Posts, newest first: the near ones in one read, all before them only when the page is not full by
 * then.
 */
async function* writtenDays(
  store: TableStore,
  workspaceId: string,
  filter: PostListFilter,
  now: number,
): AsyncGenerator<ListedPeriod> {
  const top = Math.min(now, filter.to ?? now, filter.before === null ? now : instantOf(filter.before));
  const near = Math.max(0, dayOf(top) - NEAR_DAYS);
  yield* (await listPeriods(store, workspaceId, 'written', { from: near })).toReversed();
  if (near === 0 || (filter.from !== null && dayOf(filter.from) >= near)) return;
  yield* (await listPeriods(store, workspaceId, 'written', { until: near })).toReversed();
}

async function* writtenPosts(
  store: TableStore,
  workspaceId: string,
  filter: PostListFilter,
  now: number,
): AsyncGenerator<Entry> {
  const newest = filter.before === null ? null : dayOf(instantOf(filter.before));
  const need: Need = { page: filter.limit + 1, left: filter.limit + 1, rowsOfAPost: ROWS_OF_A_POST };
  for await (const { number: day, ends } of writtenDays(store, workspaceId, filter, now)) {
    if (newest !== null && day > newest) continue;
    if (filter.to !== null && dayStart(day) >= filter.to) continue;
    if (filter.from !== null && dayStart(day + 1) <= filter.from) return;
    const below = startOfDay(day, filter);
    for (let bucket = below === null ? ends.length : bucketOf(ends, below); bucket >= 0; bucket--)
      for await (const post of bucketOfPosts(store, [workspaceId, bucketNumber(day, bucket)], below, need)) {
        const at = instantOf(post.id);
        if (filter.to !== null && at >= filter.to) continue;
        if (filter.from !== null && at < filter.from) return;
        yield { id: post.id, post };
      }
  }
}

/** Rows a Post is taken to have until the first ones were seen: its content and one or two Variants. */
const ROWS_OF_A_POST = 2.5;
/** More rows than any one Post has. */
const MAX_ROWS_OF_A_POST = 257;

/** What is read beyond the page is read for nothing, so a slice asks for what the rest of the page should take. */
interface Need {
  /** Posts that a whole page takes, and those of it that were not read yet. */
  readonly page: number;
  left: number;
  rowsOfAPost: number;
}

async function* bucketOfPosts(
  store: TableStore,
  partition: Key,
  below: string | null,
  need: Need,
): AsyncGenerator<Post> {
  // This clustering is past every part of that Post.
  let after: Key | null = below === null ? null : [below, MAX_ROWS_OF_A_POST];
  for (;;) {
    const limit = Math.min(MAX_SLICE_ROWS, Math.ceil(((need.left > 0 ? need.left : need.page) + 1) * need.rowsOfAPost));
    const rows: readonly Row[] = await store.slice(POSTS, partition, after === null ? { limit } : { after, limit });
    const ended = rows.length < limit;
    const groups = groupByPost(rows);
    const seen = groups.length;
    // The last group may go on in the next slice.
    if (!ended) groups.pop();
    for (const group of groups) {
      const post = assemblePost(group);
      if (post !== null) yield post;
    }
    need.left -= groups.length;
    if (seen > 0) need.rowsOfAPost = Math.min(MAX_ROWS_OF_A_POST, rows.length / seen);
    if (ended) return;
    if (groups.length === 0) {
      // Not even one whole Post: ask again for as many rows as the largest has.
      need.rowsOfAPost = MAX_ROWS_OF_A_POST;
      continue;
    }
    after = [groups.at(-1)![0]!.clustering[0] as string, MAX_ROWS_OF_A_POST];
  }
}

/** Where to begin in a day: below `before` and below everything written at or after `to`, whichever is older. */
function startOfDay(day: number, filter: PostListFilter): string | null {
  const bounds: string[] = [];
  if (filter.before !== null && dayOf(instantOf(filter.before)) === day) bounds.push(filter.before);
  if (filter.to !== null && dayOf(filter.to) === day) bounds.push(idFloor(filter.to));
  return bounds.sort()[0] ?? null;
}

/**
 * Posts with a Variant due in [from, to), newest written first: the slices of the range's weeks merged. A week is
 * ordered by writing, as the page is, so it is read only as far as the page goes; where the range takes but a part of a
 * week, what is due in the rest of it is read over.
 */
async function* duePosts(store: TableStore, workspaceId: string, filter: PostListFilter): AsyncGenerator<Entry> {
  const range: DueRange = { from: filter.from ?? 0, to: filter.to ?? Number.MAX_SAFE_INTEGER, before: filter.before };
  if (range.from >= range.to) return;
  const weeks = await listPeriods(store, workspaceId, 'due', {
    from: weekOf(range.from),
    until: weekOf(range.to - 1) + 1,
  });
  const share = Math.ceil((filter.limit + 1) / Math.max(1, weeks.length));
  yield* mergeNewestFirst(weeks.map((week) => weekOfPosts(store, { workspaceId, week }, range, share)));
}

interface DueRange {
  readonly from: number;
  readonly to: number;
  readonly before: string | null;
}

/** A slice of a week has at least so many rows, whatever little of the page falls to it. */
const FEWEST_OF_A_WEEK = 16;

async function* weekOfPosts(
  store: TableStore,
  { workspaceId, week: { number, ends } }: { readonly workspaceId: string; readonly week: ListedPeriod },
  range: DueRange,
  share: number,
): AsyncGenerator<Entry> {
  for (let bucket = range.before === null ? ends.length : bucketOf(ends, range.before); bucket >= 0; bucket--)
    yield* bucketOfDuePosts(store, [workspaceId, bucketNumber(number, bucket)], range, share);
}

/** `share`: rows that should be enough of it; what is wanted beyond comes in slices that double. */
async function* bucketOfDuePosts(
  store: TableStore,
  partition: Key,
  { from, to, before }: DueRange,
  share: number,
): AsyncGenerator<Entry> {
  let after: readonly [string, number] | null = before === null ? null : [before, Number.MAX_SAFE_INTEGER];
  for (
    let limit = Math.min(MAX_SLICE_ROWS, Math.max(FEWEST_OF_A_WEEK, share));
    ;
    limit = Math.min(MAX_SLICE_ROWS, limit * 2)
  ) {
    const rows = await store.slice(POSTS_BY_DUE_WEEK, partition, after === null ? { limit } : { after, limit });
    for (const row of rows) {
      const dueAt = row.clustering[1] as number;
      if (row.body.length > 0 && dueAt >= from && dueAt < to) yield { id: row.clustering[0] as string, post: null };
    }
    if (rows.length < limit) return;
    after = rows.at(-1)!.clustering as [string, number];
  }
}

/** Merges streams that are each newest first, each id once; the entry that brings the Post along wins. */
async function* mergeNewestFirst(streams: readonly AsyncGenerator<Entry>[]): AsyncGenerator<Entry> {
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, next: await stream.next() })));
  for (;;) {
    const open = heads.filter((head) => head.next.done !== true);
    if (open.length === 0) return;
    const newest = open.reduce((best, head) => (head.next.value.id > best ? head.next.value.id : best), '');
    const matching = open.filter((head) => head.next.value.id === newest);
    yield matching.find((head) => head.next.value.post !== null)?.next.value ?? matching[0]!.next.value;
    await Promise.all(
      matching.map(async (head) => {
        head.next = await head.stream.next();
      }),
    );
  }
}
