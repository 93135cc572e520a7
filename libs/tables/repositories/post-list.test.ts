import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Table } from '#ports/table.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { TableStore } from '#ports/table-store.ts';
import { dayOf, weekOf, weekStart } from '#domain/calendar.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { listPosts, type PostListFilter } from './post-list.ts';
import { bucketNumber, bucketOf } from '../buckets.ts';
import { contentRow, readPost, variantRow } from './posts.ts';
import { readPosts } from './posts-by-ids.ts';
import { POSTS, POSTS_BY_DUE_WEEK, POST_DAYS } from '../declarations/tables.ts';

const WORKSPACE = 'w';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20);

function postAt(createdAt: number, sequence: number, scheduledAt: number | null, variants: number): Post {
  const time = createdAt.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${sequence.toString(16).padStart(10, '0')}00`;
  const variant = (number: number): Variant => ({
    ...{
      id: variantIdOf(id, number),
      channelId: 'c',
      network: 'threads',
      placement: 'feed',
      status: 'scheduled',
      scheduledAt,
      dueAt: scheduledAt ?? createdAt,
      attempt: 1,
    },
    ...{
      failureReason: null,
      failureDetail: null,
      remoteId: null,
      permalink: null,
      mediaReady: true,
      cancelledAt: null,
      cancelledByDisconnect: null,
    },
    ...{ creditReserved: false, channelDisconnects: 0, reconcileFirst: false },
  });
  return {
    ...{
      id,
      workspaceId: WORKSPACE,
      text: `post ${sequence}`,
      createdAt,
      scheduledAt,
      via: null,
      media: [],
      channelOptions: {},
      digest: id,
    },
    variants: Array.from({ length: variants }, (_, index) => variant(index + 1)),
  };
}

/** After how many Posts the next bucket of a day, and of a week, is opened. */
interface BucketSizes {
  readonly day: number;
  readonly week: number;
}

const ONE_BUCKET_EACH: BucketSizes = { day: Infinity, week: Infinity };

/** Last keys of all buckets but the last one, by day or week. */
function endsOf(posts: readonly Post[], periodOf: (post: Post) => number | null, size: number) {
  const byPeriod = Map.groupBy(posts, periodOf);
  byPeriod.delete(null);
  const entries = [...byPeriod].map(([period, of]) => {
    const ids = of.map(({ id }) => id).toSorted();
    return [period!, ids.filter((_, index) => (index + 1) % size === 0 && index + 1 < ids.length)] as const;
  });
  return new Map(entries);
}

async function fill(store: TableStore, written: readonly Post[], sizes = ONE_BUCKET_EACH): Promise<void> {
  const weekOfPost = ({ scheduledAt }: Post): number | null => (scheduledAt === null ? null : weekOf(scheduledAt));
  const dayEnds = endsOf(written, ({ createdAt }) => dayOf(createdAt), sizes.day);
  const weekEnds = endsOf(written, weekOfPost, sizes.week);
  const posts = written.map((post): Post => {
    const week = weekOfPost(post);
    const day = bucketOf(dayEnds.get(dayOf(post.createdAt))!, post.id);
    const buckets = { day, week: week === null ? 0 : bucketOf(weekEnds.get(week)!, post.id) };
    return sizes === ONE_BUCKET_EACH ? post : { ...post, buckets };
  });
  const write = (row: {
    partition: readonly (string | number)[];
    clustering: readonly (string | number)[];
    value: unknown;
  }) => ({
    ...{
      partition: row.partition,
      clustering: row.clustering,
      body: encodeBody(row.value),
      format: BODY_FORMAT,
      timestamp: 1,
    },
  });
  for (let start = 0; start < posts.length; start += 2_000) {
    const some = posts.slice(start, start + 2_000);
    await store.upsert(
      POSTS,
      some.flatMap((post) => [
        write(contentRow(post)),
        ...post.variants.map((variant) => write(variantRow(post, variant))),
      ]),
    );
    const days = [...new Set(some.map(({ createdAt }) => dayOf(createdAt)))];
    const due = some.flatMap((post) =>
      post.scheduledAt === null
        ? []
        : [{ id: post.id, at: post.scheduledAt, week: weekOf(post.scheduledAt), bucket: post.buckets?.week ?? 0 }],
    );
    const directory = [
      ...days.map((day) => ['written', day] as const),
      ...[...new Set(due.map(({ week }) => week))].map((week) => ['due', week] as const),
    ];
    await store.upsert(
      POST_DAYS,
      directory.map(([kind, number]) => {
        const ends = (kind === 'written' ? dayEnds : weekEnds).get(number)!;
        return write({ partition: [WORKSPACE], clustering: [kind, number], value: ends.length === 0 ? {} : { ends } });
      }),
    );
    await store.upsert(
      POSTS_BY_DUE_WEEK,
      due.map(({ id, at, week, bucket }) =>
        write({ partition: [WORKSPACE, bucketNumber(week, bucket)], clustering: [id, at], value: {} }),
      ),
    );
  }
}

/** A store, and one over it that counts the rows that slices of each table give. */
function counting(): {
  readonly store: TableStore;
  readonly counted: TableStore;
  readonly rowsOf: (table: Table) => number;
} {
  const store = createMemoryTableStore();
  const rows = new Map<string, number>();
  const slice: TableStore['slice'] = async (table, ...about) => {
    const read = await store.slice(table, ...about);
    rows.set(table.name, (rows.get(table.name) ?? 0) + read.length);
    return read;
  };
  return {
    store,
    counted: Object.assign(Object.create(store) as TableStore, { slice }),
    rowsOf: ({ name }) => rows.get(name) ?? 0,
  };
}

/** The same by looking at every Post. */
function naive(posts: readonly Post[], { from, to, before, limit }: PostListFilter): { ids: string[]; more: boolean } {
  const within = (at: number | null): boolean =>
    at !== null && (from === null || at >= from) && (to === null || at < to);
  const ids = posts
    .filter((post) => within(post.createdAt) || ((from !== null || to !== null) && within(post.scheduledAt)))
    .map(({ id }) => id)
    .filter((id) => before === null || id < before)
    .toSorted()
    .toReversed();
  return { ids: ids.slice(0, limit), more: ids.length > limit };
}

const instant = fc.integer({ min: 0, max: 30 * 24 * 2 }).map((halfHours) => START + halfHours * (HOUR / 2));
const arbitraryPosts = fc
  .array(
    fc.record({
      createdAt: instant,
      lead: fc.option(fc.integer({ min: -60, max: 60 * 24 }), { nil: null }),
      variants: fc.oneof(
        { weight: 49, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 1, arbitrary: fc.constant(255) },
      ),
    }),
    { maxLength: 40 },
  )
  .map((drafts) =>
    drafts.map(({ createdAt, lead, variants }, index) =>
      postAt(createdAt, index, lead === null ? null : createdAt + lead * HOUR, variants),
    ),
  );
const bound = fc.option(
  fc.integer({ min: -48, max: 95 * 48 }).map((halfHours) => START + halfHours * (HOUR / 2)),
  { nil: null },
);
/** Whatever the clock says, the same Posts come: days a month before it are read apart. */
const anyNow = fc.integer({ min: 0, max: 100 * 24 }).map((hours) => START + hours * HOUR);

describe('a list of Posts', () => {
  test('equals a scan of every Post, page by page, without a gap or a repeat', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPosts,
        bound,
        bound,
        fc.integer({ min: 1, max: 12 }),
        anyNow,
        fc.constantFrom(ONE_BUCKET_EACH, { day: 1, week: 1 }, { day: 2, week: 3 }),
        async (posts, from, to, limit, now, sizes) => {
          const store = createMemoryTableStore();
          await fill(store, posts, sizes);
          const all = naive(posts, { from, to, before: null, limit: 1_000 }).ids;
          const seen: string[] = [];
          for (let before: string | null = null; ;) {
            const page = await listPosts(store, WORKSPACE, { from, to, limit, before }, now);
            const expected = naive(posts, { from, to, limit, before });
            expect({ ids: page.posts.map(({ id }) => id), more: page.more }).toEqual(expected);
            seen.push(...expected.ids);
            if (!page.more) break;
            before = seen.at(-1)!;
          }
          expect(seen).toEqual(all);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('holds each Post whole, one of very many Variants too', async () => {
    const store = createMemoryTableStore();
    const posts = [postAt(START, 1, null, 255), postAt(START + 1, 2, START + DAY, 2), postAt(START + 2, 3, null, 255)];
    await fill(store, posts);
    const page = await listPosts(store, WORKSPACE, { from: null, to: null, limit: 10, before: null });
    expect(page.posts).toEqual(posts.toReversed());
  });

  test('of Posts by their ids has those that are there, in whichever buckets of their days', async () => {
    const posts = Array.from({ length: 60 }, (_, index) => postAt(START + index * HOUR, index, null, 1 + (index % 3)));
    const never = postAt(START + 5 * HOUR, 9_999, null, 1);
    for (const sizes of [ONE_BUCKET_EACH, { day: 1, week: 1 }, { day: 5, week: 5 }]) {
      const store = createMemoryTableStore();
      await fill(store, posts, sizes);
      for (const step of [1, 2, 13]) {
        const ids = [...posts.filter((_, index) => index % step === 0), never]
          .map(({ id }) => id)
          .toSorted()
          .toReversed();
        const found = await readPosts(store, WORKSPACE, ids);
        expect([...found.keys()].toSorted().toReversed()).toEqual(ids.filter((id) => id !== never.id));
        for (const [id, post] of found) expect(post).toEqual(await readPost(store, WORKSPACE, id));
      }
    }
  });

  test('of one Post by its id takes one read where its day has one bucket, and at most three where it has many', async () => {
    const posts = Array.from({ length: 20 }, (_, index) => postAt(START + index, index, null, 2));
    const never = postAt(START + 5, 9_999, null, 1);
    const reads = async (id: string, sizes: BucketSizes): Promise<number> => {
      const tables = new MemoryTables();
      await fill(createMemoryTableStore({ tables }), posts, sizes);
      let made = 0;
      const hooks: TableHooks = { before: async () => void made++, after: async () => {} };
      const post = await readPost(createMemoryTableStore({ tables, hooks }), WORKSPACE, id);
      expect(post?.id ?? never.id).toBe(id);
      return made;
    };
    const many = { day: 5, week: 5 };
    for (const { id } of posts) expect(await reads(id, ONE_BUCKET_EACH)).toBe(1);
    expect(await Promise.all(posts.map(({ id }) => reads(id, many)))).toEqual(posts.map((_, n) => (n < 5 ? 1 : 3)));
    expect([await reads(never.id, ONE_BUCKET_EACH), await reads(never.id, many)]).toEqual([2, 3]);
  });

  test('of an unknown Workspace is empty', async () => {
    expect(await listPosts(createMemoryTableStore(), 'nobody', { from: 0, to: null, limit: 10, before: null })).toEqual(
      { posts: [], more: false },
    );
  });

  test('costs the same calls in a Workspace of 100 Posts and of 100,000', async () => {
    const workspaceOf = async (count: number): Promise<MemoryTables> => {
      const tables = new MemoryTables();
      await fill(
        createMemoryTableStore({ tables }),
        Array.from({ length: count }, (_, index) =>
          postAt(START + Math.floor((index * 20 * DAY) / count), index, null, 1),
        ),
      );
      return tables;
    };
    const calls = async (tables: MemoryTables, filter: Partial<PostListFilter>): Promise<number> => {
      let made = 0;
      const hooks: TableHooks = { before: async () => void made++, after: async () => {} };
      await listPosts(createMemoryTableStore({ tables, hooks }), WORKSPACE, {
        from: null,
        to: null,
        limit: 100,
        before: null,
        ...filter,
      });
      return made;
    };
    const few = await calls(await workspaceOf(100), {});
    const many = await workspaceOf(100_000);
    expect(await calls(many, {})).toBeLessThanOrEqual(few);
    expect(await calls(many, { from: START + 5 * DAY, to: START + 6 * DAY })).toBeLessThanOrEqual(few);
  });

  test('costs a slice more for each bucket that it goes on in, and none for those behind it', async () => {
    const posts = Array.from({ length: 5_000 }, (_, index) => postAt(START + index * 1_000, index, null, 1));
    const slices = async (filter: Partial<PostListFilter>, sizes?: BucketSizes): Promise<number> => {
      const tables = new MemoryTables();
      await fill(createMemoryTableStore({ tables }), posts, sizes);
      let made = 0;
      const hooks: TableHooks = { before: async () => void made++, after: async () => {} };
      const all = { from: null, to: null, limit: 100, before: null, ...filter };
      await listPosts(createMemoryTableStore({ tables, hooks }), WORKSPACE, all, START + DAY);
      return made;
    };
    for (const before of [null, posts[2_550]!.id, posts[60]!.id]) {
      const one = await slices({ before });
      // 50 buckets, of which a page has a part of two.
      expect(await slices({ before }, { day: 100, week: Infinity })).toBeLessThanOrEqual(one + 1);
      expect(await slices({ before }, { day: 1_000, week: Infinity })).toBeLessThanOrEqual(one + 1);
    }
  });

  test.each([1, 3])(
    'reads hardly more rows than its Posts have, over however many days they were written (%s Variants each)',
    async (variants) => {
      const { store, counted, rowsOf } = counting();
      await fill(
        store,
        Array.from({ length: 4_000 }, (_, index) =>
          postAt(START + Math.floor((index * 20 * DAY) / 4_000), index, null, variants),
        ),
      );
      const page = await listPosts(
        counted,
        WORKSPACE,
        { from: null, to: null, limit: 100, before: null },
        START + 20 * DAY,
      );
      expect(page.posts).toHaveLength(100);
      expect(rowsOf(POSTS)).toBeLessThan(100 * (1 + variants) * 1.4);
    },
  );

  test.each([
    ['one after the other', 1, 20],
    ['among the Posts of ten other weeks', 11, 340],
  ])('reads Posts that are due in a week in few slices, if they were written %s', async (_how, weeks, most) => {
    const tables = new MemoryTables();
    const dueFrom = weekStart(weekOf(START) + 3);
    const posts = Array.from({ length: 300 * weeks }, (_, index) =>
      postAt(START + index * 2_000, index, dueFrom + (index % weeks) * 7 * DAY + index * 1_000, 1 + (index % 3)),
    );
    await fill(createMemoryTableStore({ tables }), posts);
    let slices = 0;
    const hooks: TableHooks = { before: async () => void slices++, after: async () => {} };
    const filter = { from: dueFrom, to: dueFrom + 7 * DAY, limit: 2_000, before: null };
    const page = await listPosts(createMemoryTableStore({ tables, hooks }), WORKSPACE, filter, START + DAY);
    const expected = posts.filter((_, index) => index % weeks === 0).toReversed();
    expect(page.posts).toEqual(expected);
    expect(slices).toBeLessThan(most);
  });

  // Written in a day, due over ten weeks: 600 a week.
  const DUE_FROM = weekStart(weekOf(START) + 2);
  const WEEK = 7 * DAY;
  test.each([
    ['all of the weeks', 10 * WEEK, 100, 100 * 2.5],
    ['all of the weeks, for a short page', 10 * WEEK, 5, 10 * 16],
    ['one whole week', WEEK, 100, 100 * 1.2],
    ['half of a week', WEEK / 2, 100, 100 * 4],
    ['an hour, of whose week all is read', HOUR, 100, 610],
    ['weeks in which nothing is due', -2 * WEEK, 100, 0],
  ])('of what is due reads of its weeks what the page holds: %s', async (_what, span, limit, most) => {
    const { store, counted, rowsOf } = counting();
    const posts = Array.from({ length: 6_000 }, (_, index) =>
      postAt(START + index * 14_000, index, DUE_FROM + ((index * 7_919) % 6_000) * ((10 * WEEK) / 6_000), 1),
    );
    await fill(store, posts);
    const filter = {
      from: Math.min(DUE_FROM, DUE_FROM + span),
      to: Math.max(DUE_FROM, DUE_FROM + span),
      limit,
      before: null,
    };
    const page = await listPosts(counted, WORKSPACE, filter, START + DAY);
    expect({ ids: page.posts.map(({ id }) => id), more: page.more }).toEqual(naive(posts, filter));
    expect(rowsOf(POSTS_BY_DUE_WEEK)).toBeLessThanOrEqual(most);
  });
});
