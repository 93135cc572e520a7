import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import { lockDataFolder } from './data-folder.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { createSqliteTableStore } from './table-store.ts';

const ROWS: Table = {
  name: 'rows',
  doc: '',
  partitionKey: [{ name: 'p', type: 'text' }],
  clusteringKey: [{ name: 'n', type: 'long' }],
  clock: 'once',
};

/** A disk of 1 MB where mounting is allowed; elsewhere the test fills the page count that SQLite allows itself. */
let folder: string;
let mounted: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
});

afterEach(() => {
  if (mounted) expect(spawnSync('umount', [folder]).status).toBe(0);
  rmSync(folder, { recursive: true });
});

function open() {
  const database = openDatabase(join(folder, 'tables.sqlite'));
  if (!mounted) database.exec('PRAGMA max_page_count = 200');
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock: { now: () => 0 } });
  return { database, store };
}

const row = (n: number) => ({ partition: ['p'], clustering: [n], body: new Uint8Array(20_000).fill(n), format: 1 });

/** Writes rows, two at a time, until the disk is full; returns those acknowledged. */
async function fill(store: TableStore): Promise<number[]> {
  const acknowledged: number[] = [];
  for (let n = 0; n < 200; n += 2) {
    const outcomes = await Promise.allSettled([n, n + 1].map((each) => store.insert(ROWS, [row(each)])));
    outcomes.forEach((outcome, index) => {
      if (outcome.status === 'fulfilled') acknowledged.push(n + index);
      else expect(outcome.reason).toMatchObject({ name: 'PortError', kind: 'unavailable' });
    });
    if (outcomes.every((outcome) => outcome.status === 'rejected')) return acknowledged;
  }
  throw new Error('the disk never filled');
}

test('a full disk rejects writes as unavailable, loses no acknowledged write, and works again when there is room', async () => {
  const ballast = join(folder, 'ballast');
  if (mounted) writeFileSync(ballast, Buffer.alloc(300_000));
  const { database, store } = open();
  const acknowledged = await fill(store);
  expect(acknowledged.length).toBeGreaterThan(2);
  const stored = async (from: TableStore) =>
    (await from.slice(ROWS, ['p'], { limit: 500 })).map((found) => found.clustering[0]);
  expect(await stored(store)).toEqual(acknowledged);

  if (mounted) rmSync(ballast);
  else database.exec('PRAGMA max_page_count = 100000');
  await store.insert(ROWS, [row(1000)]);
  await store.check();
  await store.close();
  closeDatabase(database);

  const again = open();
  expect(await stored(again.store)).toEqual([...acknowledged, 1000]);
  expect((await again.store.read(ROWS, ['p'], [1]))?.body).toEqual(row(1).body);
  await again.store.close();
  closeDatabase(again.database);
});

test('a full disk is named in one line when the data folder is taken', async () => {
  if (mounted) {
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(1_048_576));
    await expect(lockDataFolder(join(folder, 'data'))).rejects.toThrow(/as data folder: the disk is full/);
  } else {
    // /dev/full is full for every user, and is no folder.
    await expect(lockDataFolder('/dev/full/data')).rejects.toBeInstanceOf(PortError);
  }
});
