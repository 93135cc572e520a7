import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

type Call = 'wal written' | 'wal synced' | `said ${string}`;

/**
 * Runs the child on `file` under strace and returns its output, with the system calls of interest at the time each
 * ended.
 */
function trace(file: string, ...options: readonly string[]): { printed: readonly string[]; calls: readonly Call[] } {
  const output = join(folder, `${file}.trace`);
  const child = [process.execPath, join(import.meta.dirname, 'durability.child.ts'), join(folder, file)];
  const calls = ['-e', 'trace=fsync,fdatasync,write,pwrite64'];
  const run = spawnSync('strace', ['-f', '-y', ...calls, ...options, '-o', output, ...child], { encoding: 'utf8' });
  if (run.error !== undefined)
    throw new Error('strace is needed to see the fsync happen; install it: apt-get install strace', {
      cause: run.error,
    });
  const printed = run.stdout.split('\n').filter((line) => line !== '');
  return { printed, calls: parse(readFileSync(output, 'utf8')) };
}

function parse(output: string): readonly Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, string>();
  for (const line of output.split('\n')) {
    const pid = line.slice(0, line.indexOf(' '));
    if (line.includes('<unfinished ...>')) {
      unfinished.set(pid, line);
      continue;
    }
    const whole = line.includes(' resumed>') ? `${unfinished.get(pid)} ${line}` : line;
    if (/ f(data)?sync\(\d+<[^>]*-wal>.* = 0$/.test(whole)) calls.push('wal synced');
    if (/ pwrite64\(\d+<[^>]*-wal>.* = \d+$/.test(whole)) calls.push('wal written');
    const words = / write\(1<.*"((?:acknowledged|failed|settled)[^"\\]*)/.exec(whole)?.[1];
    if (words !== undefined) calls.push(`said ${words}`);
  }
  return calls;
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
