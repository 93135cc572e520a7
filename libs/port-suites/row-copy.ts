import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RowReader, RowWriter } from '#ports/row-copy.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, KeyColumn, Row, Table } from '#ports/table.ts';
import { bytes, textOf } from './table-store-fixtures.ts';

export interface RowCopyUnderTest {
  /** A store with rows, and the reader of all that it holds. */
  readonly source: TableStore;
  readonly reader: () => RowReader;
  /** An empty store with the same tables, and what fills it. */
  readonly target: TableStore;
  readonly writer: RowWriter;
  /** By the clocks of both stores. */
  readonly now: () => number;
  close(): Promise<void>;
}

const ROWS = 3;
const TIMESTAMP = 2 ** 50 + 7;
const DAY_SECONDS = 86_400;

/** Rows that a store wrote in its ordinary way are moved to another one, and then changed there in its ordinary way. */
export function rowCopySuite(name: string, tables: readonly Table[], open: () => Promise<RowCopyUnderTest>): void {
  describe(name, () => {
    let under: RowCopyUnderTest;
    beforeAll(async () => {
      under = await open();
      await Promise.all(tables.map((table) => fill(under.source, table)));
      const now = under.now();
      // Twice: a filling that was interrupted is begun again from its start.
      for (const table of [...tables, ...tables])
        await under.writer.write(table, [...under.reader().rows(table, now)], now);
    });
    afterAll(() => under?.close());

    test.each(tables.map((table) => [table.name, table] as const))(
      '%s: every row is there as it was',
      async (_, table) => {
        expect(under.reader().count(table)).toBe(ROWS + 1);
        for (let row = 0; row <= ROWS; row++) {
          const [there, here] = await Promise.all([
            under.source.read(table, partitionOf(table, row), clusteringOf(table, row), { serial: true }),
            under.target.read(table, partitionOf(table, row), clusteringOf(table, row), { serial: true }),
          ]);
          expect(plain(here)).toEqual(plain(there));
          expect(here === null).toBe(false);
        }
      },
    );

    test.each(tables.map((table) => [table.name, table] as const))(
      '%s: is changed as if it were written here',
      async (_, table) => {
        await CHANGED[table.clock](under.target, table);
      },
    );
  });
}

async function fill(store: TableStore, table: Table): Promise<void> {
  for (let row = 0; row < ROWS; row++) await writeFirst(store, table, row, `row ${row}`);
  // A void body counts as absent and is a row all the same.
  await writeFirst(store, table, ROWS, '');
}

async function writeFirst(store: TableStore, table: Table, row: number, content: string): Promise<void> {
  const [partition, clustering] = [partitionOf(table, row), clusteringOf(table, row)];
  const ttl = table.expires === true && row > 0 ? { ttlSeconds: DAY_SECONDS } : {};
  const write = { partition, clustering, body: bytes(content), format: 2 };
  if (table.clock === 'turn') await store.upsert(table, [{ ...write, timestamp: TIMESTAMP, ...ttl }]);
  else if (table.clock === 'once') await store.insert(table, [{ ...write, ...ttl }]);
  else
    for (const version of [1, 2, 3])
      await store.compareAndSet(table, {
        partition,
        clustering,
        expected: version === 1 ? null : version - 1,
        next: { version, token: `token ${version}`, body: write.body, format: 2, ...ttl },
      });
}

const CHANGED: Readonly<Record<Table['clock'], (store: TableStore, table: Table) => Promise<void>>> = {
  conditional: async (store, table) => {
    const at = { partition: partitionOf(table, 1), clustering: clusteringOf(table, 1) };
    const next = (version: number) => ({ version, token: 'new', body: bytes('changed'), format: 2 });
    const stale = await store.compareAndSet(table, { ...at, expected: 2, next: next(3) });
    expect(stale).toMatchObject({ applied: false, current: { version: 3, token: 'token 3' } });
    expect(await store.compareAndSet(table, { ...at, expected: null, next: next(1) })).toMatchObject({
      applied: false,
    });
    expect(await store.compareAndSet(table, { ...at, expected: 3, next: next(4) })).toEqual({ applied: true });
    expect(await changedRow(store, table)).toMatchObject({ version: 4, token: 'new' });
  },
  turn: async (store, table) => {
    const write = { partition: partitionOf(table, 1), clustering: clusteringOf(table, 1), format: 2 };
    await store.upsert(table, [{ ...write, body: bytes('older'), timestamp: TIMESTAMP - 1 }]);
    expect(textOf(await changedRow(store, table))).toBe('row 1');
    await store.upsert(table, [{ ...write, body: bytes('row 1'), timestamp: TIMESTAMP }]);
    await store.upsert(table, [{ ...write, body: bytes('newer'), timestamp: TIMESTAMP + 1 }]);
    expect(textOf(await changedRow(store, table))).toBe('newer');
  },
  once: async (store, table) => {
    const write = { partition: partitionOf(table, 1), clustering: clusteringOf(table, 1), format: 2 };
    await store.insert(table, [{ ...write, body: bytes('row 1') }]);
    expect(textOf(await changedRow(store, table))).toBe('row 1');
    await store.dropPartition(table, write.partition);
    expect(await changedRow(store, table)).toBe(null);
  },
};

function changedRow(store: TableStore, table: Table): Promise<Row | null> {
  return store.read(table, partitionOf(table, 1), clusteringOf(table, 1), { serial: true });
}

function partitionOf(table: Table, row: number): Key {
  return table.partitionKey.map((column) => valueOf(column, table.clusteringKey.length === 0 || row === 1 ? row : 0));
}

function clusteringOf(table: Table, row: number): Key {
  return table.clusteringKey.map((column) => valueOf(column, row));
}

function valueOf({ type }: KeyColumn, row: number): string | number {
  return type === 'long' ? 1_700_000_000_000 + row : `key ${row}`;
}

/** A store may have the text of a row beside its bytes. */
function plain(row: Row | null): object | null {
  if (row === null) return null;
  const { partition, clustering, body, format, version, token } = row;
  return { partition, clustering, body: Uint8Array.from(body), format, version, token };
}
