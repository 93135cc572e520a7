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
  // As a shell may hand it on: nothing is taken away from what files are made with.
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const modeOf = (name: string): string => (statSync(at(name)).mode & 0o777).toString(8);

test('a database and its log are made for this user alone', () => {
  const database = openDatabase(at('a.db'));
  database.exec('CREATE TABLE kept (value TEXT); INSERT INTO kept VALUES (1)');
  expect(['a.db', 'a.db-wal', 'a.db-shm'].map(modeOf)).toEqual(['600', '600', '600']);
  closeDatabase(database);
});

test('a database that was left open to others is closed to them when it is opened', () => {
  closeDatabase(openDatabase(at('a.db')));
  chmodSync(at('a.db'), 0o644);
  const database = openDatabase(at('a.db'));
  database.exec('CREATE TABLE kept (value TEXT)');
  expect(['a.db', 'a.db-wal'].map(modeOf)).toEqual(['600', '600']);
  closeDatabase(database);
});

test('a database in memory makes no file', () => {
  closeDatabase(openDatabase(':memory:'));
  expect(existsSync(':memory:')).toBe(false);
});

test('the lock of a data folder is for this user alone, and holds', async () => {
  const lock = await lockDataFolder(at('data'));
  expect(['data', 'data/owner.lock', 'data/owner.pid'].map(modeOf)).toEqual(['700', '600', '600']);
  await expect(lockDataFolder(at('data'))).rejects.toThrow('is in use');
  await lock.release();
});

test('what a release of before left open is closed, whole: files, folders and all below them', () => {
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

test('a folder that is closed is not walked through again: everything below it was closed before it', () => {
  mkdirSync(at('blobs'), { mode: 0o700 });
  writeFileSync(at('blobs/later'), '');
  tighten(folder, ['blobs']);
  expect(modeOf('blobs/later')).toBe('666');
});

test('what others share is left to them: a folder as /tmp is, names that are not ours, and where links lead', () => {
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
