import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type WalCall = 'wal written' | 'wal synced' | `said ${string}`;

export interface TracedRun {
  /** Lines of its output. */
  readonly printed: readonly string[];
  /** System calls on write-ahead logs, and what it said, each at the time it ended. */
  readonly calls: readonly WalCall[];
}

/** Runs a program under strace, which writes `name`.trace into the folder. `options`: further ones of strace. */
export function traceWal(
  folder: string,
  name: string,
  program: readonly string[],
  options: readonly string[] = [],
): TracedRun {
  const output = join(folder, `${name}.trace`);
  const calls = ['-e', 'trace=fsync,fdatasync,write,pwrite64'];
  const child = [process.execPath, ...program];
  const run = spawnSync('strace', ['-f', '-y', ...calls, ...options, '-o', output, ...child], { encoding: 'utf8' });
  if (run.error !== undefined)
    throw new Error('strace is needed to see the fsync happen; install it: apt-get install strace', {
      cause: run.error,
    });
  const printed = run.stdout.split('\n').filter((line) => line !== '');
  return { printed, calls: parse(readFileSync(output, 'utf8')) };
}

function parse(output: string): readonly WalCall[] {
  const calls: WalCall[] = [];
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
    const words = / write\(1<[^"]*"([^"\\]*)/.exec(whole)?.[1];
    if (words !== undefined) calls.push(`said ${words}`);
  }
  return calls;
}
