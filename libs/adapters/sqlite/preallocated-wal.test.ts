import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeDatabase, openDatabase } from './database.ts';
import { openSyncedDatabase } from './synced-database.ts';
import { takeWalRoom } from './wal-room.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  path = join(folder, 'test.sqlite');
});

afterEach(() => rmSync(folder, { recursive: true }));

const wal = () => statSync(`${path}-wal`);
const PAGES = 100;
const ROOM = 32 + PAGES * 4_120;
const add = (database: DatabaseSync, count: number) => {
  for (let n = 0; n < count; n++) database.exec(`INSERT INTO numbers VALUES (${n})`);
};
const numbers = (database: DatabaseSync) => Number(database.prepare('SELECT count(*) AS n FROM numbers').get()?.['n']);

test('commits are written where the log has room, and the file stays as long as it is', async () => {
  const { database, commits, close } = await openSyncedDatabase(path, { checkpointPages: PAGES });
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
  const database = openDatabase(path);
  database.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n)');
  await takeWalRoom(database, path, PAGES);
  add(database, 3);
  const copy = join(folder, 'copy.sqlite');
  // As a kill leaves them: the log was not copied into the file.
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  closeDatabase(database);
  const again = openDatabase(copy);
  await takeWalRoom(again, copy, 2 * PAGES);
  expect(numbers(again)).toBe(3);
  add(again, 2);
  expect(numbers(again)).toBe(5);
  const reader = openDatabase(copy);
  expect(numbers(reader)).toBe(5);
  closeDatabase(reader);
  closeDatabase(again);
});

test('where the disk has no such room, the log stays as it is', async (context) => {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (!mounted) return context.skip();
  try {
    const database = openDatabase(path);
    database.exec('CREATE TABLE numbers (n)');
    const { size } = wal();
    await takeWalRoom(database, path, 8_000);
    expect(wal().size).toBe(size);
    // Nothing that was taken is kept from others.
    writeFileSync(join(folder, 'other'), Buffer.alloc(500_000));
    add(database, 3);
    expect(numbers(database)).toBe(3);
    closeDatabase(database);
  } finally {
    expect(spawnSync('umount', [folder]).status).toBe(0);
  }
});
