import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import { tableStoreSuite } from '#port-suites/table-store.ts';
import { MemoryTables } from './memory-tables.ts';
import { createMemoryTableStore, type TableOperation } from './table-store.ts';

for (const atom of ['partition', 'store'] as const) {
  tableStoreSuite(`memory table store with an atom of a ${atom}`, async () => {
    const tables = new MemoryTables();
    const store = createMemoryTableStore({ tables, atom });
    return {
      store,
      reopen: async () => {
        await store.close();
        return createMemoryTableStore({ tables, atom });
      },
      close: async () => {},
    };
  });
}

const TURN: Table = {
  name: 'turns',
  doc: '',
  partitionKey: [{ name: 'p', type: 'text' }],
  clusteringKey: [{ name: 'c', type: 'long' }],
  clock: 'turn',
  expires: true,
};
const ONCE: Table = { ...TURN, name: 'onces', clock: 'once' };
const CONDITIONAL: Table = { ...TURN, name: 'conditionals', clock: 'conditional' };

const body = (text: string) => new TextEncoder().encode(text);
const turn = (p: string, c: number, text: string, timestamp: number) => ({
  partition: [p],
  clustering: [c],
  body: body(text),
  format: 1,
  timestamp,
});
const once = (p: string, c: number, text: string) => ({ partition: [p], clustering: [c], body: body(text), format: 1 });
const textOf = async (store: TableStore, table: Table, p: string, c: number) => {
  const row = await store.read(table, [p], [c]);
  return row === null ? null : new TextDecoder().decode(row.body);
};

/** Holds each operation until the test releases it. */
function gates() {
  const waiting: { operation: TableOperation; open: () => void }[] = [];
  const hooks = {
    before: (operation: TableOperation) => new Promise<void>((resolve) => waiting.push({ operation, open: resolve })),
    after: () => Promise.resolve(),
  };
  return { hooks, waiting };
}

test('without hooks a call is applied before it returns', async () => {
  const store = createMemoryTableStore();
  const tables = [
    store.upsert(TURN, [turn('a', 1, 'one', 1), turn('b', 1, 'two', 1)]),
    textOf(store, TURN, 'b', 1),
  ] as const;
  expect(await tables[1]).toBe('two');
  await tables[0];
});

test('a crash between two partitions leaves the first one written', async () => {
  const tables = new MemoryTables();
  const hooks = {
    before: async (operation: TableOperation) => {
      if (operation.partition[0] === 'b') throw new PortError('unavailable', 'down');
    },
    after: () => Promise.resolve(),
  };
  const store = createMemoryTableStore({ tables, hooks });
  await expect(
    store.upsert(TURN, [turn('a', 1, 'one', 1), turn('b', 1, 'two', 1), turn('a', 2, 'three', 1)]),
  ).rejects.toMatchObject({ kind: 'unavailable' });
  const restarted = createMemoryTableStore({ tables });
  expect(
    await Promise.all([
      textOf(restarted, TURN, 'a', 1),
      textOf(restarted, TURN, 'a', 2),
      textOf(restarted, TURN, 'b', 1),
    ]),
  ).toEqual(['one', 'three', null]);
});

test('a lost answer leaves the conditional write applied', async () => {
  const tables = new MemoryTables();
  const hooks = { before: () => Promise.resolve(), after: () => Promise.reject(new PortError('unknown', 'timed out')) };
  const store = createMemoryTableStore({ tables, hooks });
  const next = { version: 1, token: 'mine', body: body('x'), format: 1 };
  await expect(
    store.compareAndSet(CONDITIONAL, { partition: ['a'], clustering: [0], expected: null, next }),
  ).rejects.toMatchObject({ kind: 'unknown' });
  expect((await createMemoryTableStore({ tables }).read(CONDITIONAL, ['a'], [0], { serial: true }))?.token).toBe(
    'mine',
  );
});

test('rows of an insert called before a drop stay deleted however late it is applied; those of one called after it are kept', async () => {
  const { hooks, waiting } = gates();
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ tables, hooks });
  const early = store.insert(ONCE, [once('a', 1, 'early')]);
  const drop = store.dropPartition(ONCE, ['a']);
  const late = store.insert(ONCE, [once('a', 2, 'late')]);
  for (const index of [2, 1, 0]) {
    waiting[index]!.open();
    await [early, drop, late][index];
  }
  const restarted = createMemoryTableStore({ tables });
  expect([await textOf(restarted, ONCE, 'a', 1), await textOf(restarted, ONCE, 'a', 2)]).toEqual([null, 'late']);
});

test('rows expire by the given clock, and an older write still loses to an expired one', async () => {
  let now = 1_000_000;
  const store = createMemoryTableStore({ clock: { now: () => now } });
  await store.upsert(TURN, [{ ...turn('a', 1, 'new', 9), ttlSeconds: 60 }]);
  expect(await textOf(store, TURN, 'a', 1)).toBe('new');
  now += 60_000;
  await store.upsert(TURN, [turn('a', 1, 'older', 8)]);
  expect(await textOf(store, TURN, 'a', 1)).toBeNull();
  expect(await store.slice(TURN, ['a'], { limit: 10 })).toEqual([]);
  await store.upsert(TURN, [turn('a', 1, 'newest', 10)]);
  expect(await textOf(store, TURN, 'a', 1)).toBe('newest');
});

test('an expired head counts as absent', async () => {
  let now = 0;
  const store = createMemoryTableStore({ clock: { now: () => now } });
  const write = {
    partition: ['a'],
    clustering: [0],
    expected: null,
    next: { version: 1, token: 't', body: body('x'), format: 1, ttlSeconds: 1 },
  };
  expect(await store.compareAndSet(CONDITIONAL, write)).toEqual({ applied: true });
  expect(await store.compareAndSet(CONDITIONAL, write)).toMatchObject({ applied: false });
  now = 1000;
  expect(await store.compareAndSet(CONDITIONAL, write)).toEqual({ applied: true });
});

test("the caller's arrays and the store's are never the same", async () => {
  const store = createMemoryTableStore();
  const row = turn('a', 1, 'abc', 1);
  await store.upsert(TURN, [row]);
  row.body.fill(0);
  (await store.read(TURN, ['a'], [1]))!.body.fill(0);
  expect(await textOf(store, TURN, 'a', 1)).toBe('abc');
});

test('a closed store is unavailable', async () => {
  const store = createMemoryTableStore();
  await store.close();
  await expect(store.check()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(store.read(TURN, ['a'], [1])).rejects.toMatchObject({ kind: 'unavailable' });
});
