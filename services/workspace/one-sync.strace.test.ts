import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '#adapters/sqlite/database.ts';
import { traceWal } from '#adapters/sqlite/traced-wal.fixture.ts';

const POSTS = 20;
/** Of a Post, on average: two for each page of the write-ahead log. It was 43.4 when this bound was set. */
const MOST_WRITES = 45;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a Post of a lone client costs one sync: of its command, head, rows, timer and result, before its answer', () => {
  const path = join(folder, 'crier.db');
  const { calls } = traceWal(folder, 'posts', [join(import.meta.dirname, 'one-sync.child.ts'), path]);
  const written: number[] = [];
  const syncs = Array.from({ length: POSTS }, (_, index) => {
    const [from, to] = [calls.indexOf(`said asked ${index + 1}`), calls.indexOf(`said answered ${index + 1} ok`)];
    expect(from, `Post ${index + 1} was asked for`).toBeGreaterThanOrEqual(0);
    const between = calls.slice(from, to);
    expect(between.lastIndexOf('wal synced'), 'a sync after the last write').toBeGreaterThan(
      between.lastIndexOf('wal written'),
    );
    written.push(between.filter((call) => call === 'wal written').length);
    return between.filter((call) => call === 'wal synced').length;
  });
  expect(syncs).toEqual(Array.from({ length: POSTS }, () => 1));
  expect(written.reduce((sum, writes) => sum + writes) / POSTS, `writes: ${written}`).toBeLessThanOrEqual(MOST_WRITES);

  // Content and status of each, that of the first included; and the three commands that made the Workspace.
  const database = openDatabase(path);
  const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  expect([count('posts'), count('records')]).toEqual([2 * (POSTS + 1), POSTS + 1 + 3]);
  database.close();
});
