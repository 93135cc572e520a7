import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataFolder } from './data-folder.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { tighten } from './private-files.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  // The most open umask that a shell may hand on: it removes no permission from new files.
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const modeOf = (name: string): string => (statSync(at(name)).mode & 0o777).toString(8);

test('a database and its log are created readable by this user alone', () => {
  const database = openDatabase(at('a.db'));
  database.exec('CREATE TABLE kept (value TEXT); INSERT INTO kept VALUES (1)');
  expect(['a.db', 'a.db-wal', 'a.db-shm'].map(modeOf)).toEqual(['600', '600', '600']);
  closeDatabase(database);
});

test('a database that is readable by others becomes private when it is opened', () => {
  closeDatabase(openDatabase(at('a.db')));
  chmodSync(at('a.db'), 0o644);
  const database = openDatabase(at('a.db'));
  database.exec('CREATE TABLE kept (value TEXT)');
  expect(['a.db', 'a.db-wal'].map(modeOf)).toEqual(['600', '600']);
  closeDatabase(database);
});

test('a database in memory creates no file', () => {
  closeDatabase(openDatabase(':memory:'));
  expect(existsSync(':memory:')).toBe(false);
});

test('the lock file of a data folder is readable by this user alone, and the lock holds', async () => {
  const lock = await lockDataFolder(at('data'));
  expect(['data', 'data/owner.lock', 'data/owner.pid'].map(modeOf)).toEqual(['700', '600', '600']);
  await expect(lockDataFolder(at('data'))).rejects.toThrow('is in use');
  await lock.release();
});

test('files that an earlier release left readable become private: files, folders and all below them', () => {
  mkdirSync(at('blobs/a/b'), { recursive: true });
  for (const name of ['crier.db', 'crier.db-wal', 'blobs/a/one', 'blobs/a/b/two']) writeFileSync(at(name), '');
  tighten(folder, ['crier.db', 'blobs', 'nothing']);
  expect(['crier.db', 'blobs', 'blobs/a', 'blobs/a/b', 'blobs/a/one', 'blobs/a/b/two'].map(modeOf)).toEqual([
    '600',
    '700',
    '700',
    '700',
    '600',
    '600',
  ]);
  expect(modeOf('crier.db-wal')).toBe('600');
});

test('a private folder is not walked again: everything below it was made private before it', () => {
  mkdirSync(at('blobs'), { mode: 0o700 });
  writeFileSync(at('blobs/later'), '');
  tighten(folder, ['blobs']);
  expect(modeOf('blobs/later')).toBe('666');
});

test('shared files keep their mode: a folder like /tmp, names that are not ours, and targets of links', () => {
  const [shared, own] = [at('shared'), at('own')];
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  mkdirSync(own);
  for (const path of ['shared/theirs', 'own/theirs', 'victim']) writeFileSync(at(path), '');
  symlinkSync(at('victim'), join(own, 'blobs'));
  tighten(shared, ['crier.db']);
  tighten(own, ['crier.db', 'blobs']);
  expect(['shared', 'shared/theirs', 'own', 'own/theirs', 'victim'].map(modeOf)).toEqual([
    '777',
    '666',
    '700',
    '666',
    '666',
  ]);
});
