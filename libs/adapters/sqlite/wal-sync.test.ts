import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { databasePath } from './database-path.fixture.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { openSyncedDatabase } from './synced-database.ts';
import { WalSync } from './wal-sync.ts';

// That it syncs, and when: durability.strace.test.ts.
const place = databasePath();

const synchronous = (database: DatabaseSync) => database.prepare('PRAGMA synchronous').get()?.['synchronous'];
const [NORMAL, FULL] = [1, 2];

test('a database syncs its own commits before and after, and while it runs the event loop turns', async () => {
  const database = openDatabase(place.path);
  expect(synchronous(database)).toBe(FULL);
  const sync = await WalSync.start(database, place.path);
  expect(synchronous(database)).toBe(NORMAL);
  database.exec('CREATE TABLE numbers (n)');
  const order: string[] = [];
  const synced = sync.sync().then(() => order.push('synced'));
  await new Promise<void>((resolve) => process.nextTick(() => resolve(void order.push('turned'))));
  await synced;
  expect(order).toEqual(['turned', 'synced']);
  await sync[Symbol.asyncDispose]();
  expect(synchronous(database)).toBe(FULL);
  closeDatabase(database);
});

test('a log that can not be opened is a failed sync', async () => {
  const database = openDatabase(place.path);
  const sync = await WalSync.start(database, join(place.folder, 'none'));
  await expect(sync.sync()).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
  await sync[Symbol.asyncDispose]();
  closeDatabase(database);
});

test('a thread that has ended between two syncs fails the next one, which nobody would answer', async () => {
  const database = openDatabase(place.path);
  const made = Promise.withResolvers<Worker>();
  process.once('worker', made.resolve);
  const sync = await WalSync.start(database, place.path);
  database.exec('CREATE TABLE numbers (n)');
  await sync.sync();
  await (await made.promise).terminate();
  await expect(sync.sync()).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
  await sync[Symbol.asyncDispose]();
  closeDatabase(database);
});

test('a closed database is one file with all that was acknowledged', async () => {
  const { database, commits, close } = await openSyncedDatabase(place.path);
  await commits.enqueue(() => database.exec('CREATE TABLE numbers (n); INSERT INTO numbers VALUES (1)'));
  await close();
  expect(database.isOpen).toBe(false);
  const again = openDatabase(place.path);
  expect(again.prepare('SELECT n FROM numbers').all()).toEqual([{ n: 1 }]);
  closeDatabase(again);
});
