import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkpoint, closeDatabase, openDatabase } from './database.ts';
import { copyDatabase, faultsOf, rowsByTable, visitBodies } from './snapshot.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'crier-snapshot-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function filled(path: string, rows: number): DatabaseSync {
  const database = openDatabase(path);
  database.exec('CREATE TABLE posts (id INTEGER PRIMARY KEY, body BLOB NOT NULL, format INTEGER NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO posts (body, format) VALUES (?, 1)');
  database.exec('BEGIN');
  for (let row = 0; row < rows; row++) insert.run(Buffer.alloc(200, row));
  database.exec('COMMIT');
  return database;
}

test('a copy has what was committed by then, is private, and needs no file beside it', async () => {
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const database = filled(from, 40);
  database.exec('BEGIN');
  database.exec('DELETE FROM posts WHERE id > 10');
  await copyDatabase(from, to);
  database.exec('COMMIT');
  expect(rowsByTable(to)).toEqual({ posts: 40 });
  expect(rowsByTable(from)).toEqual({ posts: 10 });
  expect(faultsOf(to)).toEqual([]);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  let seen = 0;
  visitBodies(to, 'posts', ({ body, format }) => (seen += body.length * format));
  visitBodies(to, 'a table that is not there', () => expect.fail('it has no rows'));
  expect(seen).toBe(40 * 200);
  closeDatabase(database);
});

test('a copy in pieces is of one instant, and begins only once, however much is written between them', async () => {
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const database = filled(from, 60_000);
  const insert = database.prepare('INSERT INTO posts (body, format) VALUES (?, 1)');
  let pieces = 0;
  await copyDatabase(from, to, () => {
    pieces += 1;
    insert.run(Buffer.alloc(200_000));
    database.exec(`DELETE FROM posts WHERE id % 7 = ${pieces % 7}`);
  });
  expect(pieces).toBeGreaterThan(1);
  expect(pieces).toBeLessThan(6);
  expect(rowsByTable(to)).toEqual({ posts: 60_000 });
  expect(faultsOf(to)).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith('to.db'))).toEqual(['to.db']);
  closeDatabase(database);
});

test('faults of a damaged database are reported, and a file that is none', () => {
  const path = join(folder, 'damaged.db');
  closeDatabase(filled(path, 500));
  const bytes = readFileSync(path);
  bytes.fill(0xee, 9_000, 30_000);
  writeFileSync(path, bytes);
  expect(faultsOf(path).length).toBeGreaterThan(0);
  writeFileSync(
    path,
    'no database, and long enough to be asked about its header, which is a hundred bytes long, or so',
  );
  expect(faultsOf(path)).toEqual([expect.stringContaining('the file is not a database')]);
});

test('a checkpoint does not wait for another process that reads, and is done once it has ended', () => {
  const path = join(folder, 'read.db');
  const database = filled(path, 40);
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM posts').get();
  database.exec('DELETE FROM posts');
  const from = performance.now();
  checkpoint(database);
  expect(performance.now() - from, 'less than the time it waits for a lock').toBeLessThan(4_500);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  reader.close();
  checkpoint(database);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5_000 });
  closeDatabase(database);
});
