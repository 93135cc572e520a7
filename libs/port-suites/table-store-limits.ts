import { describe, expect, test } from 'vitest';
import {
  MAX_BODY_BYTES,
  MAX_KEY_TEXT_BYTES,
  MAX_PARTITION_WRITE_BYTES,
  MAX_SLICE_ROWS,
  MAX_TTL_SECONDS,
  type ConditionalWrite,
  type TableStore,
} from '#ports/table-store.ts';
import type { Key, RowWrite, TurnWrite } from '#ports/table.ts';
import {
  HEADS,
  ONCE_ROWS,
  TURN_MIXED,
  TURN_SINGLE,
  TURN_TEXTS,
  bytes,
  clusterings,
  expectRefused,
  freshOwner,
  turnRow,
} from './table-store-fixtures.ts';

/** What every store refuses in the same way, writing nothing, and the largest values that it accepts. */
export function tableLimits(store: () => TableStore): void {
  describe('limits', () => {
    keyLimits(store);
    writeLimits(store);
    conditionalLimits(store);
    clockLimits(store);
  });
}

function keyLimits(store: () => TableStore): void {
  const badKeys: readonly [string, Key, Key][] = [
    ['too few partition columns', ['a'], ['x', 1, 't']],
    ['too few clustering columns', ['a', 1], ['x', 1]],
    ['too many clustering columns', ['a', 1], ['x', 1, 't', 2]],
    ['a number for text', [1, 1], ['x', 1, 't']],
    ['text for a number', ['a', 1], ['x', '1', 't']],
    ['a fraction', ['a', 1], ['x', 1.5, 't']],
    ['an unsafe integer', ['a', 2 ** 53], ['x', 1, 't']],
    ['no number', ['a', 1], ['x', Number.NaN, 't']],
    ['an empty partition text', ['', 1], ['x', 1, 't']],
    ['half a character', ['a', 1], ['\ud800', 1, 't']],
    ['U+0000', ['a', 1], ['x\0y', 1, 't']],
    ['text too long', ['a', 1], ['x'.repeat(MAX_KEY_TEXT_BYTES + 1), 1, 't']],
    ['text too long in bytes only', ['a', 1], ['é'.repeat(MAX_KEY_TEXT_BYTES / 2 + 1), 1, 't']],
  ];

  test.each(badKeys)('a key with %s is refused, reading and writing', async (_, partition, clustering) => {
    await expectRefused(() => store().read(TURN_MIXED, partition, clustering));
    await expectRefused(() => store().upsert(TURN_MIXED, [turnRow(partition, clustering, 'x')]));
  });

  test('the longest text, in bytes, is a key; so are an empty clustering text and the largest and smallest numbers', async () => {
    const owner = `${freshOwner()}${'é'.repeat((MAX_KEY_TEXT_BYTES - 32) / 2)}`;
    const keys: readonly Key[] = [
      ['é'.repeat(MAX_KEY_TEXT_BYTES / 2), Number.MIN_SAFE_INTEGER, ''],
      ['', Number.MAX_SAFE_INTEGER, 'z'.repeat(MAX_KEY_TEXT_BYTES)],
    ];
    await store().upsert(
      TURN_MIXED,
      keys.map((key) => turnRow([owner, -1], key, 'x')),
    );
    expect(clusterings(await store().slice(TURN_MIXED, [owner, -1], { limit: 10 }))).toEqual(keys);
  });

  test.each<[string, Parameters<TableStore['slice']>[2]]>([
    ['no rows', { limit: 0 }],
    ['too many rows', { limit: MAX_SLICE_ROWS + 1 }],
    ['half a row', { limit: 1.5 }],
    ['two starts', { from: ['a'], after: ['b'], limit: 1 }],
    ['an empty bound', { until: [], limit: 1 }],
    ['a prefix longer than the key', { prefix: ['a', 1, 't', 2], limit: 1 }],
    ['a bound that goes beyond the key', { prefix: ['a', 1], from: ['t', 2], limit: 1 }],
    ['a bound of the wrong type', { prefix: ['a'], after: ['1'], limit: 1 }],
  ])('a slice of %s is refused', async (_, options) => {
    await expectRefused(() => store().slice(TURN_MIXED, [freshOwner(), 1], options));
  });
}

function writeLimits(store: () => TableStore): void {
  test('a body of MAX_BODY_BYTES is stored whole, one byte more is refused with its whole call', async () => {
    const owner = freshOwner();
    const largest = new Uint8Array(MAX_BODY_BYTES).fill(7);
    await store().upsert(TURN_TEXTS, [{ ...turnRow([owner], ['a'], ''), body: largest }]);
    expect((await store().read(TURN_TEXTS, [owner], ['a']))?.body).toEqual(largest);
    const tooLarge = { ...turnRow([owner], ['b'], ''), body: new Uint8Array(MAX_BODY_BYTES + 1) };
    await expectRefused(() => store().upsert(TURN_TEXTS, [turnRow([owner], ['c'], 'small'), tooLarge]));
    expect(clusterings(await store().slice(TURN_TEXTS, [owner], { limit: 10 }))).toEqual([['a']]);
  });

  test('one call writes up to MAX_PARTITION_WRITE_BYTES to each partition, and no more', async () => {
    const [full, other] = [freshOwner(), freshOwner()];
    const size = Math.floor(MAX_PARTITION_WRITE_BYTES / 4) - 1000;
    const fill = (owner: string) =>
      [1, 2, 3, 4].map((at) => ({
        partition: [owner],
        clustering: [at, 'x'],
        body: new Uint8Array(size).fill(at),
        format: 1,
      }));
    await store().insert(ONCE_ROWS, [...fill(full), ...fill(other)]);
    expect(await store().slice(ONCE_ROWS, [other], { limit: 10 })).toHaveLength(4);
    const owner = freshOwner();
    const over = { partition: [owner], clustering: [5, 'x'], body: new Uint8Array(4000), format: 1 };
    await expectRefused(() => store().insert(ONCE_ROWS, [...fill(owner), over]));
    expect(await store().slice(ONCE_ROWS, [owner], { limit: 10 })).toEqual([]);
  });

  test.each<[string, Partial<Record<keyof TurnWrite, unknown>>]>([
    ['no body', { body: null }],
    ['text for a body', { body: 'abc' }],
    ['a negative format', { format: -1 }],
    ['timestamp 0', { timestamp: 0 }],
    ['an unsafe timestamp', { timestamp: 2 ** 53 }],
    ['a fractional timestamp', { timestamp: 1.5 }],
    ['ttl 0', { ttlSeconds: 0 }],
    ['a ttl above twenty years', { ttlSeconds: MAX_TTL_SECONDS + 1 }],
  ])('a row with %s is refused', async (_, change) => {
    const row = { ...turnRow([freshOwner()], ['a'], 'x'), ...change } as TurnWrite;
    await expectRefused(() => store().upsert(TURN_TEXTS, [row]));
    expect(await store().read(TURN_TEXTS, row.partition, ['a'])).toBeNull();
  });

  test('a ttl is refused where rows do not expire', async () => {
    await expectRefused(() => store().upsert(TURN_SINGLE, [{ ...turnRow([freshOwner()], [], 'x'), ttlSeconds: 60 }]));
  });
}

function conditionalLimits(store: () => TableStore): void {
  const row = (owner: string, key: string): RowWrite => ({
    partition: [owner],
    clustering: ['row', key],
    body: bytes('r'),
    format: 1,
  });
  const bad: readonly [string, (owner: string, write: ConditionalWrite) => ConditionalWrite][] = [
    [
      'whose head is among its rows',
      (owner, write) => ({ ...write, rows: [{ ...row(owner, 'x'), clustering: write.clustering }] }),
    ],
    ['with a row of another partition', (_, write) => ({ ...write, rows: [row('elsewhere', 'x')] })],
    ['with a row twice', (owner, write) => ({ ...write, rows: [row(owner, 'x'), row(owner, 'x')] })],
    ['without a token', (_, write) => ({ ...write, next: { ...write.next, token: '' } })],
    ['to a fractional version', (_, write) => ({ ...write, next: { ...write.next, version: 0.5 } })],
    ['from a negative version', (_, write) => ({ ...write, expected: -1 })],
    [
      'with too large a row',
      (owner, write) => ({ ...write, rows: [{ ...row(owner, 'x'), body: new Uint8Array(MAX_BODY_BYTES + 1) }] }),
    ],
  ];

  test.each(bad)('a conditional write %s is refused', async (_, change) => {
    const owner = freshOwner();
    const write: ConditionalWrite = {
      partition: [owner],
      clustering: ['head', ''],
      expected: null,
      next: { version: 1, token: 't', body: bytes('x'), format: 1 },
    };
    await expectRefused(() => store().compareAndSet(HEADS, change(owner, write)));
    expect(await store().read(HEADS, [owner], ['head', ''], { serial: true })).toBeNull();
  });
}

function clockLimits(store: () => TableStore): void {
  test('each table accepts the calls of its own clock only', async () => {
    const owner = freshOwner();
    const row = (clustering: Key): TurnWrite => ({
      partition: [owner],
      clustering,
      body: bytes('x'),
      format: 1,
      timestamp: 1,
    });
    const set = (clustering: Key): ConditionalWrite => ({
      partition: [owner],
      clustering,
      expected: null,
      next: { version: 1, token: 't', body: bytes('x'), format: 1 },
    });
    await expectRefused(() => store().upsert(ONCE_ROWS, [row([1, 'a'])]));
    await expectRefused(() => store().upsert(HEADS, [row(['a', 'b'])]));
    await expectRefused(() => store().insert(TURN_TEXTS, [row(['a'])]));
    await expectRefused(() => store().insert(HEADS, [row(['a', 'b'])]));
    await expectRefused(() => store().compareAndSet(TURN_TEXTS, set(['a'])));
    await expectRefused(() => store().compareAndSet(ONCE_ROWS, set([1, 'a'])));
    await expectRefused(() => store().dropPartition(TURN_TEXTS, [owner]));
    await expectRefused(() => store().dropPartition(HEADS, [owner]));
  });
}
