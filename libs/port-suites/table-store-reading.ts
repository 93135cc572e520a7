import { beforeAll, describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, SliceOptions } from '#ports/table.ts';
import {
  ONCE_ROWS,
  TURN_LONGS,
  TURN_MIXED,
  TURN_SINGLE,
  TURN_TEXTS,
  bytes,
  clusterings,
  freshOwner,
  listPartitions,
  readPages,
  textOf,
  turnRow,
} from './table-store-fixtures.ts';

/** In the order of TURN_MIXED: ids descend, parts and tags ascend. */
const OWNER_ROWS: readonly Key[] = [
  ['c', 1, 'a'],
  ['b', 1, 'a'],
  ['b', 1, 'b'],
  ['b', 2, ''],
  ['b', 2, 'a'],
  ['b', 10, 'a'],
  ['a', -5, 'a'],
  ['a', 1, 'a'],
];

export function reading(store: () => TableStore): void {
  describe('reading', () => {
    const partition: Key = [freshOwner(), 7];
    beforeAll(async () => {
      const shuffled = [3, 0, 7, 5, 1, 4, 6, 2].map((index) => OWNER_ROWS[index]!);
      await store().upsert(
        TURN_MIXED,
        shuffled.map((key) => turnRow(partition, key, key.join('/'))),
      );
      await store().upsert(TURN_MIXED, [turnRow([partition[0]!, 8], ['b', 1, 'a'], 'other partition')]);
    });

    test('rows of a table that holds text have the same bytes, and the same text where it is there', async () => {
      const owner = freshOwner();
      const texts = ['', 'plain', 'Grüße, 世界 👋', '\\u0000 "\\n', 'x'.repeat(100_000)];
      await store().upsert(
        TURN_LONGS,
        texts.map((text, number) => turnRow([owner], [number], text)),
      );
      const rows = (await store().slice(TURN_LONGS, [owner], { limit: 10 })).toReversed();
      const single = await store().read(TURN_LONGS, [owner], [2]);
      expect([...rows, single].map(textOf)).toEqual([...texts, texts[2]]);
      for (const row of [...rows, single!]) expect(row.text ?? textOf(row)).toBe(textOf(row));
      await store().upsert(
        TURN_LONGS,
        rows.map((row) => ({ ...turnRow([owner], row.clustering, ''), body: row.body })),
      );
    });

    test('the partitions of a table are listed whole, page by page, each once', async () => {
      const owners = Array.from({ length: 7 }, () => freshOwner());
      for (const owner of owners) await store().upsert(TURN_MIXED, [turnRow([owner, 3], ['a', 1, 'a'], owner)]);
      const gone = freshOwner();
      await store().insert(ONCE_ROWS, [{ partition: [gone], clustering: [1, 'a'], body: bytes('x'), format: 1 }]);
      await store().dropPartition(ONCE_ROWS, [gone]);
      for (const limit of [1, 3, 5_000]) {
        const found = (await listPartitions(store(), TURN_MIXED, limit)).map((key) => key.join('/'));
        expect(new Set(found).size).toBe(found.length);
        expect(found).toEqual(expect.arrayContaining(owners.map((owner) => `${owner}/3`)));
        expect(found).toEqual(expect.arrayContaining([`${partition[0]}/7`, `${partition[0]}/8`]));
      }
      expect((await listPartitions(store(), ONCE_ROWS, 100)).flat()).not.toContain(gone);
      await expect(store().partitions(TURN_MIXED, { after: null, limit: 0 })).rejects.toMatchObject({
        name: 'PortError',
        kind: 'refused',
      });
    });

    test('a row that was never written is null, and an unknown partition is empty', async () => {
      expect(await store().read(TURN_MIXED, partition, ['b', 3, 'a'])).toBeNull();
      expect(await store().read(TURN_SINGLE, [freshOwner()], [])).toBeNull();
      expect(await store().slice(TURN_MIXED, [freshOwner(), 7], { limit: 10 })).toEqual([]);
    });

    test('a row is read as it was written', async () => {
      const row = await store().read(TURN_MIXED, partition, ['b', 10, 'a']);
      expect(row).toEqual({
        partition,
        clustering: ['b', 10, 'a'],
        body: expect.any(Uint8Array),
        format: 1,
        version: 0,
        token: '',
      });
      expect(textOf(row)).toBe('b/10/a');
    });

    test.each<[string, Omit<SliceOptions, 'limit'>, readonly number[]]>([
      ['a whole partition', {}, [0, 1, 2, 3, 4, 5, 6, 7]],
      ['a prefix', { prefix: ['b'] }, [1, 2, 3, 4, 5]],
      ['a longer prefix', { prefix: ['b', 2] }, [3, 4]],
      ['a whole key as prefix', { prefix: ['b', 2, 'a'] }, [4]],
      ['a prefix without rows', { prefix: ['bb'] }, []],
      ['from a row on', { from: ['b', 2, 'a'] }, [4, 5, 6, 7]],
      ['after a row', { after: ['b', 2, 'a'] }, [5, 6, 7]],
      ['until a row', { until: ['b', 2, 'a'] }, [0, 1, 2, 3]],
      ['from and until', { from: ['b', 1, 'b'], until: ['a', 1, 'a'] }, [2, 3, 4, 5, 6]],
      ['after and until rows that are not there', { after: ['b', 1, 'aa'], until: ['b', 3, ''] }, [2, 3, 4]],
      ['from a part of a key', { from: ['b', 2] }, [3, 4, 5, 6, 7]],
      ['after a part of a key', { after: ['b', 2] }, [5, 6, 7]],
      ['until a part of a key', { until: ['b', 2] }, [0, 1, 2]],
      ['after the first column, which descends', { after: ['b'] }, [6, 7]],
      ['from and until inside a prefix', { prefix: ['b'], from: [1, 'b'], until: [10] }, [2, 3, 4]],
      ['after inside a longer prefix', { prefix: ['b', 2], after: [''] }, [4]],
      ['a range that ends before it starts', { from: ['a', 1, 'a'], until: ['b', 1, 'a'] }, []],
    ])('slice: %s, whole and page by page', async (_, options, expected) => {
      const keys = expected.map((index) => OWNER_ROWS[index]!);
      expect(clusterings(await store().slice(TURN_MIXED, partition, { ...options, limit: 100 }))).toEqual(keys);
      for (const limit of [1, 2, 3])
        expect(clusterings(await readPages(store(), TURN_MIXED, partition, { ...options, limit }))).toEqual(keys);
    });

    orderedReading(store);
  });
}

function orderedReading(store: () => TableStore): void {
  describe('order', () => {
    test('text is ordered by its UTF-8 bytes, not by UTF-16 code units or by a language', async () => {
      const owner = freshOwner();
      const names = [
        '',
        'A',
        'Z',
        'a',
        'aa',
        'ä',
        'z',
        'é',
        '\u07ff',
        '\u0800',
        '\ud7ff',
        '\ue000',
        '\uffef',
        '\u{10000}',
        '\u{1f600}',
        '\u{10ffff}',
      ];
      const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      await store().upsert(
        TURN_TEXTS,
        names.toReversed().map((name) => turnRow([owner], [name], name)),
      );
      expect(clusterings(await store().slice(TURN_TEXTS, [owner], { limit: 100 }))).toEqual(
        sorted.map((name) => [name]),
      );
      expect(clusterings(await readPages(store(), TURN_TEXTS, [owner], { after: ['\ud7ff'], limit: 1 }))).toEqual([
        ['\ue000'],
        ['\uffef'],
        ['\u{10000}'],
        ['\u{1f600}'],
        ['\u{10ffff}'],
      ]);
    });

    test('a descending partition longer than a page is paged through without a gap or a repeat', async () => {
      const owner = freshOwner();
      const numbers = Array.from({ length: 1200 }, (_, i) => (i * 7919) % 1200);
      await store().upsert(
        TURN_LONGS,
        numbers.map((n) => turnRow([owner], [n], String(n))),
      );
      const rows = await readPages(store(), TURN_LONGS, [owner], { limit: 100 });
      expect(rows.map((row) => row.clustering[0])).toEqual(numbers.toSorted((a, b) => b - a));
      expect(rows.every((row) => textOf(row) === String(row.clustering[0]))).toBe(true);
    });
  });
}
