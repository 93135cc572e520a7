import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILE, makeInstallation, type TestInstallation } from '#services/crier/backup/installation.fixture.ts';
import { refuseUnfinishedRestore } from '#services/crier/backup/unfinished-restore.ts';
import { CRIER } from '#testing/crier-process.ts';
import { inheritedEnvironment } from '#testing/engines/environment.ts';

/** The first of these system calls, at this path, is the end of the process, before the call does anything. */
interface Moment {
  readonly what: string;
  readonly calls: string;
  /** Below the folder of the test. */
  readonly path: string;
}

let installation: TestInstallation;
let folder: string;
beforeAll(async () => {
  installation = await makeInstallation();
  folder = join(installation.folder, 'backups');
  mkdirSync(folder);
});
afterAll(() => installation[Symbol.dispose]());

function crier(args: readonly string[], through: readonly string[] = []) {
  const [command, ...rest] = [...through, CRIER, ...args];
  const env = { ...inheritedEnvironment(), CRIER_DATA_DIR: installation.dataDir };
  const run = spawnSync(command!, rest, { encoding: 'utf8', env });
  if (run.error !== undefined)
    throw new Error('strace is needed to kill at a system call; install it: apt-get install strace', {
      cause: run.error,
    });
  return run;
}

/** Runs crier until the moment, at which SIGKILL ends it. */
function killedAt({ what, calls, path }: Moment, args: readonly string[]): void {
  const at = ['-P', join(installation.folder, path), '-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL`];
  const run = crier(args, ['strace', '-f', '-qq', '-o', join(installation.folder, 'strace.txt'), ...at]);
  // strace ends as the process did that it runs.
  expect([run.status, run.signal], `${what}: ${run.stdout}${run.stderr}`).toEqual([null, 'SIGKILL']);
}

describe('a backup that is killed', () => {
  test.each<Moment>([
    { what: 'before it copies the database', calls: 'openat', path: 'data/crier.db' },
    { what: 'while it writes the archive', calls: 'openat', path: `data/blobs/${FILE}.blob` },
    { what: 'before the whole file gets its name', calls: '/^link(at)?$', path: 'backups/daily.tar' },
  ])('$what leaves no file of that name, and the next one removes what it left', (moment) => {
    const to = join(folder, 'daily.tar');
    killedAt(moment, ['backup', `--to=${to}`, '--with-files']);
    expect(existsSync(to)).toBe(false);
    const left = readdirSync(folder);
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const name of left) utimesSync(join(folder, name), hourAgo, hourAgo);
    const again = crier(['backup', `--to=${to}`]);
    expect([again.status, again.stderr]).toEqual([0, '']);
    expect(readdirSync(folder)).toEqual(['daily.tar']);
    rmSync(to);
  });
});

const UNPACKING: Moment = { what: 'while it unpacks', calls: 'openat', path: 'into/unpacked/demo.json' };

describe('a restore that is killed', () => {
  let backup: string;
  let into: string;
  beforeAll(() => {
    backup = join(folder, 'whole.tar');
    into = join(installation.folder, 'into');
    expect(crier(['backup', `--to=${backup}`, '--with-files']).status).toBe(0);
  });

  test.each<Moment>([
    UNPACKING,
    { what: 'while it moves what it unpacked', calls: '/^rename', path: 'into/unpacked/secrets.json' },
    { what: 'before it says that all is there', calls: '/^(rmdir|unlinkat)$', path: 'into/unpacked' },
  ])('$what leaves a folder with which nothing starts; the next one begins anew, and it starts', (moment) => {
    killedAt(moment, ['restore', `--from=${backup}`, `--data-dir=${into}`]);
    expect(() => refuseUnfinishedRestore(into)).toThrow(/did not end/);
    const again = crier(['restore', `--from=${backup}`, `--data-dir=${into}`]);
    expect([again.status, again.stderr]).toEqual([0, '']);
    expect(readdirSync(into).toSorted()).toEqual(['blobs', 'crier.db', 'demo.json', 'owner.lock', 'secrets.json']);
    rmSync(into, { recursive: true });
  });

  test('is what a start says, in one sentence', () => {
    killedAt(UNPACKING, ['restore', `--from=${backup}`, `--data-dir=${into}`]);
    const start = crier(['start', `--data-dir=${into}`, '--port=0', '--admin-port=0', '--sandbox-port=0']);
    expect([start.status, start.stderr.split('\n').filter((line) => line.startsWith('crier: '))]).toEqual([
      1,
      [
        `crier: a restore into the data folder ${into} did not end, so it is not whole: run crier restore again, which begins anew`,
      ],
    ]);
  });
});
