import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { traceWal } from './traced-wal.fixture.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the child on `file`. */
function trace(file: string, ...options: readonly string[]) {
  const child = join(import.meta.dirname, 'durability.child.ts');
  return traceWal(folder, file, [child, join(folder, file)], options);
}

test('before a write is acknowledged its WAL frames are written and an fsync of them has ended', () => {
  const { printed, calls } = trace('a.sqlite');
  expect(printed.filter((line) => line.startsWith('acknowledged'))).toEqual([
    'acknowledged 1',
    'acknowledged 2',
    'acknowledged 3',
  ]);
  for (const n of [1, 2, 3]) {
    const end = calls.indexOf(`said acknowledged ${n}`);
    const since = calls.slice(n === 1 ? 0 : calls.indexOf(`said settled ${n - 1} present`) + 1, end);
    expect(since.lastIndexOf('wal written'), `writes of row ${n}`).toBeGreaterThanOrEqual(0);
    expect(since.lastIndexOf('wal synced'), `fsync of row ${n}`).toBeGreaterThan(since.lastIndexOf('wal written'));
  }
});

test('a failed fsync is unknown; a serial read settles it for good, and the store continues', () => {
  const { calls } = trace('probe.sqlite');
  const syncs = calls.slice(0, calls.indexOf('said acknowledged 1')).filter((call) => call === 'wal synced').length;
  const wal = join(folder, 'b.sqlite-wal');
  // The first sync of the WAL after row 1 was acknowledged.
  const { printed } = trace('b.sqlite', '-P', wal, '-e', `inject=fdatasync,fsync:error=EIO:when=${syncs + 1}`);
  expect(printed).toEqual([
    'acknowledged 1',
    'settled 1 present',
    'failed 2 unknown',
    'settled 2 absent',
    'acknowledged 3',
    'settled 3 present',
  ]);
  const database = openDatabase(join(folder, 'b.sqlite'));
  expect(database.prepare('SELECT n FROM rows').all()).toEqual([{ n: 1 }, { n: 3 }]);
  database.close();
});
