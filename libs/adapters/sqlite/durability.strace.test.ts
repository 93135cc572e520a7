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
function trace(file: string, syncedBy: 'commit' | 'thread', ...options: readonly string[]) {
  const child = join(import.meta.dirname, 'durability.child.ts');
  return traceWal(folder, file, [child, join(folder, file), syncedBy], options);
}

const failing = (file: string, sync: number): readonly string[] => [
  ...['-P', join(folder, `${file}-wal`)],
  ...['-e', `inject=fdatasync,fsync:error=EIO:when=${sync}`],
];

test.each(['commit', 'thread'] as const)(
  'synced by a %s: before a write is acknowledged its WAL frames are written and an fsync of them has ended',
  (syncedBy) => {
    const { printed, calls } = trace('a.sqlite', syncedBy);
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
  },
);

test('a failed fsync of a commit is unknown; a serial read settles it for good, and the store continues', () => {
  const { calls } = trace('probe.sqlite', 'commit');
  const syncs = calls.slice(0, calls.indexOf('said acknowledged 1')).filter((call) => call === 'wal synced').length;
  // The first sync of the WAL after row 1 was acknowledged.
  const { printed } = trace('b.sqlite', 'commit', ...failing('b.sqlite', syncs + 1));
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

test('a failed fsync of the thread is unknown; nothing is read or written any more, and a restart has what was acknowledged', () => {
  // strace counts by thread.
  const { printed } = trace('c.sqlite', 'thread', ...failing('c.sqlite', 2));
  expect(printed).toEqual([
    'acknowledged 1',
    'settled 1 present',
    'failed 2 unknown',
    'settled 2 unavailable',
    'failed 3 unavailable',
    'settled 3 unavailable',
  ]);
  const database = openDatabase(join(folder, 'c.sqlite'));
  expect(database.prepare('SELECT n FROM rows WHERE n <> 2').all()).toEqual([{ n: 1 }]);
  database.close();
});
