import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Partitions, TableStore } from '#ports/table-store.ts';
import type { Key, KeyColumn, Row, SliceOptions, Table, TableClock, TurnWrite } from '#ports/table.ts';

const text = (name: string, order?: 'desc'): KeyColumn => ({ name, type: 'text', ...(order && { order }) });
const long = (name: string, order?: 'desc'): KeyColumn => ({ name, type: 'long', ...(order && { order }) });

function table(
  name: string,
  clock: TableClock,
  partitionKey: readonly KeyColumn[],
  clusteringKey: readonly KeyColumn[],
): Table {
  return {
    name: `suite_${name}`,
    doc: 'For the conformance suite',
    partitionKey,
    clusteringKey,
    clock,
    expires: clock !== 'turn' || name === 'turn_texts',
  };
}

/** Two partition columns, mixed orders. */
export const TURN_MIXED = table(
  'turn_mixed',
  'turn',
  [text('owner'), long('day')],
  [text('id', 'desc'), long('part'), text('tag')],
);
export const TURN_TEXTS = table('turn_texts', 'turn', [text('owner')], [text('name')]);
export const TURN_LONGS: Table = {
  ...table('turn_longs', 'turn', [text('owner')], [long('number', 'desc')]),
  holdsText: true,
};
/** One row per partition. */
export const TURN_SINGLE = table('turn_single', 'turn', [text('owner')], []);
export const ONCE_ROWS = table('once_rows', 'once', [text('owner')], [long('at'), text('id')]);
export const HEADS = table('heads', 'conditional', [text('owner')], [text('kind'), text('key')]);

/** Every table that the suite uses: an adapter whose tables must exist beforehand creates these. */
export const SUITE_TABLES: readonly Table[] = [TURN_MIXED, TURN_TEXTS, TURN_LONGS, TURN_SINGLE, ONCE_ROWS, HEADS];

/** A partition that no other test, nor an earlier run on the same store, has used. */
export function freshOwner(): string {
  return randomBytes(16).toString('hex');
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function textOf(row: Row | null): string | null {
  return row === null ? null : new TextDecoder().decode(row.body);
}

export function clusterings(rows: readonly Row[]): readonly Key[] {
  return rows.map((row) => row.clustering);
}

export function turnRow(partition: Key, clustering: Key, content: string, timestamp = 1): TurnWrite {
  return { partition, clustering, body: bytes(content), format: 1, timestamp };
}

/** Keys of all partitions, in pages of `limit`. Checks each page. */
export async function listPartitions(store: TableStore, of: Table, limit: number): Promise<readonly Key[]> {
  const keys: Key[] = [];
  let after: string | null = null;
  do {
    const page: Partitions = await store.partitions(of, { after, limit });
    expect(page.keys.length).toBeLessThanOrEqual(limit);
    keys.push(...page.keys);
    after = page.next;
  } while (after !== null);
  return keys;
}

/** All rows of a range, read in pages of `limit` that continue after the last row. Checks each page. */
export async function readPages(
  store: TableStore,
  from: Table,
  partition: Key,
  options: SliceOptions,
): Promise<readonly Row[]> {
  const { prefix = [], from: start, after: begin, limit } = options;
  if (prefix.length === from.clusteringKey.length) return store.slice(from, partition, options);
  const rows: Row[] = [];
  let position: Pick<SliceOptions, 'from' | 'after'> = {
    ...(start && { from: start }),
    ...(begin && { after: begin }),
  };
  for (;;) {
    const { from: _from, after: _after, ...rest } = options;
    const page = await store.slice(from, partition, { ...rest, ...position });
    expect(page.length).toBeLessThanOrEqual(limit);
    rows.push(...page);
    if (page.length < limit) return rows;
    position = { after: page.at(-1)!.clustering.slice(prefix.length) };
  }
}

export async function expectRefused(call: () => Promise<unknown>): Promise<void> {
  await expect(call()).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
}

/** A row of `ONCE_ROWS`. */
export function onceRow(owner: string, content: string) {
  return { partition: [owner], clustering: [1, 'a'], body: bytes(content), format: 1 };
}
