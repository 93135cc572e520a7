import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SmallDisk } from '#testing/small-disk.ts';
import { databasePath } from './database-path.fixture.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { openSyncedDatabase } from './synced-database.ts';
import { preallocateWal } from './preallocated-wal.ts';

const place = databasePath();
const wal = () => statSync(`${place.path}-wal`);
const PAGES = 100;
const ROOM = 32 + PAGES * 4_120;
const add = (database: DatabaseSync, count: number) => {
  for (let n = 0; n < count; n++) database.exec(`INSERT INTO numbers VALUES (${n})`);
};
const numbers = (database: DatabaseSync) => Number(database.prepare('SELECT count(*) AS n FROM numbers').get()?.['n']);

test('commits are written where the log has room, and the file stays as long as it is', async () => {
  const { database, commits, close } = await openSyncedDatabase(place.path, { checkpointPages: PAGES });
  const taken = wal();
  expect(taken.size).toBeGreaterThan(ROOM);
  expect(taken.blocks * 512).toBeGreaterThanOrEqual(ROOM);
  await commits.enqueue(() => database.exec('CREATE TABLE numbers (n)'));
  // The log begins anew several times.
  for (let n = 0; n < 4 * PAGES; n++) await commits.enqueue(() => add(database, 1));
  expect([wal().size, wal().blocks]).toEqual([taken.size, taken.blocks]);
  expect(numbers(database)).toBe(4 * PAGES);
  await close();
});

test('what a killed process left in the log is there, and what is written behind it', async () => {
  const { folder, path } = place;
  const database = openDatabase(path);
  database.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n)');
  await preallocateWal(database, path, PAGES);
  add(database, 3);
  const copy = join(folder, 'copy.sqlite');
  // As a kill leaves them: the log was not copied into the file.
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  closeDatabase(database);
  const again = openDatabase(copy);
  await preallocateWal(again, copy, 2 * PAGES);
  expect(numbers(again)).toBe(3);
  add(again, 2);
  expect(numbers(again)).toBe(5);
  const reader = openDatabase(copy);
  expect(numbers(reader)).toBe(5);
  closeDatabase(reader);
  closeDatabase(again);
});

test('where the disk has no such room, the log stays as it is', async (context) => {
  const { folder, path } = place;
  const disk = await SmallDisk.mount(folder, '1m');
  if (disk === null) return context.skip();
  try {
    const database = openDatabase(path);
    database.exec('CREATE TABLE numbers (n)');
    const { size } = wal();
    await preallocateWal(database, path, 8_000);
    expect(wal().size).toBe(size);
    // Nothing that was taken is kept from others.
    writeFileSync(join(folder, 'other'), Buffer.alloc(500_000));
    add(database, 3);
    expect(numbers(database)).toBe(3);
    closeDatabase(database);
  } finally {
    await disk.unmount();
  }
});
