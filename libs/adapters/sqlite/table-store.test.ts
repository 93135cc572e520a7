import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import type { TwoBodiesError } from '#ports/two-bodies.ts';
import { tableStoreSuite } from '#port-suites/table-store.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { createSqliteTableStore } from './table-store.ts';

interface OpenedStore {
  readonly database: DatabaseSync;
  readonly commits: GroupCommit;
  readonly store: TableStore;
  close(): Promise<void>;
}

function open(path: string, now: () => number = Date.now): OpenedStore {
  const database = openDatabase(path);
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock: { now } });
  const close = async () => {
    await store.close();
    await commits.close();
    closeDatabase(database);
  };
  return { database, commits, store, close };
}

tableStoreSuite('SQLite table store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  let opened = open(join(folder, 'tables.sqlite'));
  return {
    store: opened.store,
    reopen: async () => {
      await opened.close();
      opened = open(join(folder, 'tables.sqlite'));
      return opened.store;
    },
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
});

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
const once = (c: number, text: string) => ({ partition: ['a'], clustering: [c], body: body(text), format: 1 });
const turn = (c: number, text: string, timestamp: number) => ({ ...once(c, text), timestamp });
const textOf = async (table: Table, c: number) => {
  const row = await opened.store.read(table, ['a'], [c]);
  return row === null ? null : new TextDecoder().decode(row.body);
};

let folder: string;
let opened: OpenedStore;
let now = 1_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  opened = open(join(folder, 'tables.sqlite'), () => now);
});

afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true });
});

test('a write that a store would silently lose throws, and does not fail its neighbours in the commit', async () => {
  const { store } = opened;
  await store.upsert(TURN, [turn(1, 'one', 5)]);
  await store.insert(ONCE, [once(1, 'one')]);
  const outcomes = await Promise.allSettled([
    store.upsert(TURN, [turn(2, 'before', 5)]),
    store.upsert(TURN, [turn(3, 'undone', 6), turn(1, 'other', 5)]),
    store.insert(ONCE, [once(3, 'undone'), once(1, 'other')]),
    store.upsert(TURN, [turn(4, 'x', 7), turn(4, 'y', 7)]),
    store.insert(ONCE, [once(2, 'after')]),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).not.toBeInstanceOf(PortError);
  expect(await Promise.all([1, 2, 3, 4].map((c) => textOf(TURN, c)))).toEqual(['one', 'before', null, null]);
  expect(await Promise.all([1, 2, 3].map((c) => textOf(ONCE, c)))).toEqual(['one', 'after', null]);
});

test('with `onTwoBodies` it keeps the first body, writes the rest of the call, and reports each row once', async () => {
  const met: TwoBodiesError[] = [];
  const { database, commits } = opened;
  const store = createSqliteTableStore({
    database,
    commits,
    clock: { now: () => now },
    onTwoBodies: (error) => met.push(error),
  });
  await store.upsert(TURN, [turn(1, 'first', 5)]);
  await store.insert(ONCE, [once(1, 'first')]);
  const next = { version: 1, token: 't', body: body('head'), format: 1 };
  const implied = [
    { table: TURN, upsert: [turn(1, 'third', 5), turn(3, 'implied', 5)] },
    { table: ONCE, insert: [once(1, 'third'), once(3, 'implied')] },
  ];
  // A neighbour that throws makes the whole commit run a second time.
  const neighbour = commits.enqueue(() => {
    throw new Error('a defect of its own');
  });
  const written = [
    store.upsert(TURN, [turn(1, 'second', 5), turn(2, 'beside', 5)]),
    store.insert(ONCE, [once(1, 'second'), once(2, 'beside')]),
    store.compareAndSet(CONDITIONAL, { partition: ['a'], clustering: [0], expected: null, next, implied }),
  ];
  await expect(neighbour).rejects.toThrow('a defect of its own');
  expect((await Promise.all(written))[2]).toEqual({ applied: true });
  expect(await Promise.all([1, 2, 3].map((c) => textOf(TURN, c)))).toEqual(['first', 'beside', 'implied']);
  expect(await Promise.all([1, 2, 3].map((c) => textOf(ONCE, c)))).toEqual(['first', 'beside', 'implied']);
  expect(met.map(({ table, clustering }) => [table, clustering])).toEqual([
    ['turns', [1]],
    ['onces', [1]],
    ['turns', [1]],
    ['onces', [1]],
  ]);
});

test('conditional writes of one commit see each other in order of arrival', async () => {
  const write = (expected: number | null, token: string) =>
    opened.store.compareAndSet(CONDITIONAL, {
      partition: ['a'],
      clustering: [0],
      expected,
      next: { version: (expected ?? 0) + 1, token, body: body(token), format: 1 },
    });
  const outcomes = await Promise.all([write(null, 'one'), write(1, 'two'), write(1, 'late'), write(2, 'three')]);
  expect(outcomes.map((outcome) => outcome.applied)).toEqual([true, true, false, true]);
  expect(outcomes[2]).toMatchObject({ current: { token: 'two' } });
});

test('a serial read waits for the writes before it; a plain one sees what is committed', async () => {
  const { store } = opened;
  await store.upsert(TURN, [turn(1, 'old', 1)]);
  const writing = store.upsert(TURN, [turn(1, 'new', 2)]);
  const [serial, plain] = await Promise.all([
    store.read(TURN, ['a'], [1], { serial: true }),
    store.read(TURN, ['a'], [1]),
  ]);
  expect([serial, plain].map((row) => new TextDecoder().decode(row?.body))).toEqual(['new', 'old']);
  await writing;
  expect(await textOf(TURN, 1)).toBe('new');
});

test('a buffer that the caller reuses does not change a stored row', async () => {
  const row = turn(1, 'abc', 1);
  const writing = opened.store.upsert(TURN, [row]);
  row.body.fill(0);
  await writing;
  expect(await textOf(TURN, 1)).toBe('abc');
});

test('readers no longer see expired rows, which soon leave the file; a turn still loses to an expired newer one', async () => {
  const { store, database } = opened;
  await store.upsert(TURN, [{ ...turn(1, 'new', 9), ttlSeconds: 60 }]);
  await store.insert(
    ONCE,
    Array.from({ length: 250 }, (_, c) => ({ ...once(c, 'x'), ttlSeconds: 60 })),
  );
  now += 60_000;
  expect(await textOf(TURN, 1)).toBeNull();
  expect(await store.slice(ONCE, ['a'], { limit: 10 })).toEqual([]);
  await store.upsert(TURN, [turn(1, 'older', 8)]);
  expect(await textOf(TURN, 1)).toBeNull();
  await store.insert(ONCE, [once(1, 'another')]);
  expect(await textOf(ONCE, 1)).toBe('another');
  for (const c of [300, 301, 302]) await store.insert(ONCE, [once(c, 'x')]);
  expect(database.prepare('SELECT count(*) AS n FROM onces').get()).toEqual({ n: 4 });
  now += 3_600_000;
  await store.upsert(TURN, [turn(2, 'x', 1)]);
  expect(database.prepare('SELECT c FROM turns').all()).toEqual([{ c: 2 }]);
});

test('a write that loses to a row which expired long ago is no failure while that row is removed', async () => {
  const { store, database } = opened;
  const expiring = Array.from({ length: 250 }, (_, c) => ({ ...turn(c, 'new', 9), ttlSeconds: 60 }));
  await store.upsert(TURN, expiring);
  now += 60_000 + 3_600_000;
  await store.upsert(TURN, [turn(0, 'older', 8)]);
  expect(database.prepare('SELECT count(*) AS n FROM turns').get()).toEqual({ n: 150 });
});

test('an expired head counts as absent', async () => {
  const write = {
    partition: ['a'],
    clustering: [0],
    expected: null,
    next: { version: 1, token: 't', body: body('x'), format: 1, ttlSeconds: 1 },
  };
  expect(await opened.store.compareAndSet(CONDITIONAL, write)).toEqual({ applied: true });
  expect(await opened.store.compareAndSet(CONDITIONAL, write)).toMatchObject({ applied: false });
  now += 1000;
  expect(await opened.store.compareAndSet(CONDITIONAL, write)).toEqual({ applied: true });
});

test('check writes, close empties the WAL, and a closed store is unavailable', async () => {
  const { store, database, commits } = opened;
  await store.check();
  database.exec('PRAGMA query_only = 1');
  await expect(store.check()).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
  database.exec('PRAGMA query_only = 0');
  await store.upsert(TURN, [turn(1, 'x', 1)]);
  await store.close();
  expect(database.prepare('PRAGMA wal_checkpoint').get()).toEqual({ busy: 0, log: 0, checkpointed: 0 });
  await expect(store.check()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(store.upsert(TURN, [])).rejects.toMatchObject({ kind: 'unavailable' });
  await commits.close();
  await store.close();
});
