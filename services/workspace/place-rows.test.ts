import { describe, expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { dayOf, weekOf } from '#domain/calendar.ts';
import { idFloor } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import { roughBytesOf } from '#domain/post/weight.ts';
import type { AuditEntry } from '#domain/workspace/audit.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { TableStore } from '#ports/table-store.ts';
import { auditPeriod, BUCKET_BYTES, bucketOf, type Period } from '#tables/buckets.ts';
import { POST_DAYS, POSTS } from '#tables/declarations/tables.ts';
import { BUCKETS_FORMAT, RELEASE } from '#tables/release.ts';
import { encodeBody } from '#tables/rows/body.ts';
import { turnTimestamp } from '#tables/rows/pending-effects.ts';
import { readBuckets } from '#tables/repositories/post-days.ts';
import { contentRow } from '#tables/repositories/posts.ts';
import { START } from '#testing/scenario.ts';
import { periodName, placeRows, type KnownPeriod, type PlacedRows } from './place-rows.ts';

const WORKSPACE = 'w';
const DAY = dayOf(START);
const TODAY: Period = { kind: 'written', number: DAY };

function postOf(at: number, sequence: number, text = ''): Post {
  const tail = Math.imul(sequence, 0x9e3779b1) >>> 0;
  return {
    id: `${idFloor(at)}-7000-8000-${tail.toString(16).padStart(10, '0')}00`,
    workspaceId: WORKSPACE,
    text,
    createdAt: at,
    scheduledAt: null,
    via: null,
    media: [],
    channelOptions: {},
    digest: '',
    variants: [],
  };
}

/** The owner of a Workspace, as far as buckets go: what it places is written, and known to its next turn. */
class Owner {
  readonly store: TableStore = createMemoryTableStore();
  readonly format: number;
  readonly bucketBytes: number;
  #known = new Map<string, KnownPeriod>();
  #turn = 0;
  /** Bytes of Posts by the bucket of their day, as `roughBytesOf` has them. */
  readonly bytes: number[] = [];

  constructor(bucketBytes: number, format = RELEASE.format) {
    this.bucketBytes = bucketBytes;
    this.format = format;
  }

  place(effects: readonly Effect[], posts: readonly Post[] = []): Promise<PlacedRows> {
    const input = { ...this, workspaceId: WORKSPACE, periods: this.#known };
    return placeRows(input, effects, new Map(posts.map((post) => [post.id, post])));
  }

  async create(...posts: readonly Post[]): Promise<PlacedRows> {
    const placed = await this.place(
      posts.map((post) => ({ kind: 'post-created', post })),
      posts,
    );
    const timestamp = turnTimestamp(++this.#turn);
    const write = ({ value, ...row }: ReturnType<typeof contentRow>) => ({
      ...row,
      body: encodeBody(value),
      format: 1,
      timestamp,
    });
    await this.store.upsert(
      POSTS,
      placed.posts.map((post) => write(contentRow(post))),
    );
    const rows = placed.directory.map(({ partition, clustering, value }) => ({ partition, clustering, value }));
    await this.store.upsert(
      POST_DAYS,
      rows.map(({ value, ...row }) => ({ ...row, body: encodeBody(value), format: 1, timestamp })),
    );
    for (const [name, period] of placed.periods) this.#known.set(name, period);
    for (const post of placed.posts)
      this.bytes[post.buckets?.day ?? 0] = (this.bytes[post.buckets?.day ?? 0] ?? 0) + roughBytesOf(post);
    return placed;
  }

  /** Another process owns the Workspace now. */
  forget(): void {
    this.#known = new Map();
  }

  ends = async (): Promise<readonly string[]> => (await readBuckets(this.store, WORKSPACE, TODAY))!.ends;
}

describe('the rows of a turn', () => {
  test('are in the first bucket of their day until that is full, and the directory is written once', async () => {
    const owner = new Owner(BUCKET_BYTES);
    const first = await owner.create(postOf(START, 1));
    expect(first.posts).toEqual([postOf(START, 1)]);
    expect(first.directory).toEqual([
      { table: POST_DAYS.name, partition: [WORKSPACE], clustering: ['written', DAY], value: {} },
    ]);
    for (let n = 2; n < 20; n++) expect((await owner.create(postOf(START + n, n))).directory).toEqual([]);
  });

  test('no bucket of a day grows beyond a fifth over its size, and no owner that comes after another loses the count', async () => {
    const owner = new Owner(600 * 1_000);
    for (let n = 0; n < 10_000; n += 10) {
      await owner.create(
        ...Array.from({ length: 10 }, (_, k) => postOf(START + n + k, n + k, 'x'.repeat((n * 7) % 300))),
      );
      if (n % 70 === 0) owner.forget();
    }
    expect(owner.bytes.length).toBeGreaterThan(10);
    // The last one is not full yet.
    for (const bytes of owner.bytes.slice(0, -1)) {
      expect(bytes).toBeLessThan(1.2 * owner.bucketBytes);
      expect(bytes).toBeGreaterThan(0.8 * owner.bucketBytes);
    }
  });

  test('a Post stays in the bucket that it was written to, whatever buckets are opened after it', async () => {
    const owner = new Owner(2_000);
    const placed: Post[] = [];
    for (let n = 0; n < 60; n++) {
      // Made by ingresses whose clocks differ by some seconds, and decided in another order.
      placed.push(...(await owner.create(postOf(START + n * 1_000 + ((n * 7_919) % 9_000), n))).posts);
      const ends = await owner.ends();
      expect(ends).toEqual([...new Set(ends)].toSorted());
      for (const { id, buckets } of placed) expect(bucketOf(ends, id)).toBe(buckets?.day ?? 0);
    }
    expect((await owner.ends()).length).toBeGreaterThan(5);
  });

  test('a turn that is decided again places its rows, and counts them, as before', async () => {
    const owner = new Owner(3_000);
    for (let n = 0; n < 9; n++) await owner.create(postOf(START + n, n));
    const post = postOf(START + 9, 9);
    const [once, again] = [
      await owner.place([{ kind: 'post-created', post }], [post]),
      await owner.place([{ kind: 'post-created', post }], [post]),
    ];
    expect(again).toEqual(once);
  });

  test('no bucket is opened while a format is written whose readers look in the first one only', async () => {
    const owner = new Owner(1, BUCKETS_FORMAT - 1);
    for (let n = 0; n < 20; n++) expect((await owner.create(postOf(START + n, n))).posts[0]!.buckets).toBeUndefined();
    const { body } = (await owner.store.read(POST_DAYS, [WORKSPACE], ['written', DAY]))!;
    expect(Buffer.from(body).toString()).toBe('{}');
  });

  test('an owner that writes the former format still keeps to the buckets that are there', async () => {
    const owner = new Owner(1_000);
    for (let n = 0; n < 9; n++) await owner.create(postOf(START + n, n));
    const former = Object.assign(new Owner(1_000, BUCKETS_FORMAT - 1), { store: owner.store });
    const { posts } = await former.place([{ kind: 'post-created', post: postOf(START + 9, 9) }]);
    expect(posts[0]!.buckets!.day).toBe((await owner.ends()).length);
  });

  test('a week of many Posts and a month of many entries have buckets of their own', async () => {
    const owner = new Owner(1_000);
    const due = START + 40 * 86_400_000;
    for (let n = 0; n < 40; n++) await owner.create({ ...postOf(START + n, n), scheduledAt: due });
    const { ends } = (await readBuckets(owner.store, WORKSPACE, { kind: 'due', number: weekOf(due) }))!;
    // No row of the week is written here, so there is no key at which a bucket could end.
    expect(ends).toEqual([]);
    const entry: AuditEntry = {
      ...{ id: 'e', at: START, action: 'post.created', origin: null, detail: {} },
      actor: { kind: 'operator', id: null, name: null, memberName: null },
      subject: { kind: 'post', id: 'p', name: null },
    } as AuditEntry;
    const { directory, periods } = await owner.place([{ kind: 'audit', entry }]);
    const period = auditPeriod(START);
    expect(directory).toMatchObject([{ clustering: ['audit', period.number] }]);
    expect(periods.get(periodName(period))!.bytes).toBeGreaterThan(100);
  });

  test('a day without Posts is unknown again, so that the next Post has it listed', async () => {
    const owner = new Owner(1_000);
    await owner.create(postOf(START, 1));
    const { periods } = await owner.place([{ kind: 'days-emptied', days: [DAY], weeks: [] }]);
    expect(periods.get(periodName(TODAY))).toEqual({ ends: [], bytes: 0, isListed: false });
  });
});
