import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { Launcher } from './launcher.ts';
import { groupsWith, isLiving } from './process-group.fixture.ts';

const LIMITS = { reach: 'unconfined', memoryBytes: 1e9, timeMs: 600_000, threads: 1, fileBytes: 0 } as const;

const CHILD = new URL('./limited-run.child.ts', import.meta.url).pathname;
const HELD = new URL('./held-loop.child.ts', import.meta.url).pathname;

let marks = 0;
/** By which a program is found among all processes. */
const newMark = (): string => `crier-launched-${process.pid}-${marks++}`;

const launcher = new Launcher();
let started: { kill(): void }[] = [];
afterEach(() => {
  for (const program of started) program.kill();
  started = [];
});

const launchedBy = (givesWayBy: number, ...words: string[]) => {
  const program = launcher.start(words, givesWayBy);
  started.push(program);
  return program;
};
const start = (...words: string[]) => launchedBy(3, ...words);
const run = (script: string, mark = newMark()) => {
  const program = launcher.run({ program: 'sh', args: ['-c', script, mark], ...LIMITS });
  started.push(program);
  return program;
};

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** The process that started the program, which is the leader of the one group that bears the mark. */
const starterOf = async (mark: string): Promise<number> =>
  parentOf(await until(async () => (await groupsWith(mark))[0], { what: `${mark} has started` }));

const none = (mark: string) =>
  until(async () => (await groupsWith(mark)).length === 0, { what: `nothing of ${mark} is left` });

test('programs are started by a process that is not ours, and all by the same', async () => {
  const [within, spoken] = [newMark(), newMark()];
  run('sleep 600; true', within);
  start('/bin/sh', '-c', 'sleep 600; true', spoken);
  const starter = await starterOf(within);
  expect(starter).not.toBe(process.pid);
  expect(await parentOf(starter)).toBe(process.pid);
  expect(await starterOf(spoken)).toBe(starter);
});

describe('a started program that is fed a file', () => {
  const path = join(tmpdir(), newMark());
  const content = Buffer.alloc(9_000_000, 'words ');
  const line = 'what comes\n';
  beforeAll(() => writeFile(path, content));
  afterAll(() => rm(path));

  test('reads a line and all of it, and what it writes arrives whole', async () => {
    const program = start('/usr/bin/head', '-c', String(line.length + content.length));
    const stdout = (await program.stdout)!;
    const read = createHash('sha256');
    stdout.on('data', (chunk: Buffer) => read.update(chunk));
    expect(await program.feed({ line, path, bytes: content.length })).toBe('whole');
    await finished(stdout, { writable: false });
    expect(read.digest('hex')).toBe(createHash('sha256').update(line).update(content).digest('hex'));
    expect(await program.ended).toEqual({ code: 0, by: null });
  });

  test('reads the next one behind it', async () => {
    const program = start('/bin/cat');
    const stdout = (await program.stdout)!;
    let read = '';
    stdout.on('data', (chunk: Buffer) => (read += chunk.toString()));
    for (const bytes of [5, 0]) expect(await program.feed({ line, path, bytes })).toBe('whole');
    await until(() => read === `${line}words${line}`, { what: `both arrive: ${read}` });
  });

  test('does not read what is not there', async () => {
    const unread = async (file: string, bytes: number) => start('/bin/cat').feed({ line, path: file, bytes });
    const shorter = { unreadable: `${path} is 1 bytes shorter than it was` };
    const program = start('/bin/sh', '-c', 'cat >/dev/null');
    expect(await program.feed({ line, path, bytes: content.length + 1 })).toEqual(shorter);
    expect(await unread(`${path}.not`, 1)).toEqual({ unreadable: expect.stringContaining('ENOENT') });
  });

  test('and reads no more of it, has not taken it', async () => {
    const program = start('/bin/sh', '-c', 'exec <&-; sleep 600; true');
    expect(await program.feed({ line, path, bytes: content.length })).toBe('not taken');
  });
});

test('the exit code of a started program is reported, or the signal that ended it', async () => {
  expect(await start('/bin/sh', '-c', 'exit 7').ended).toEqual({ code: 7, by: null });
  expect(await start('/bin/sh', '-c', 'kill -SEGV $$').ended).toEqual({ code: null, by: 'SIGSEGV' });
  expect(await start('/no/such/program').ended).toEqual({ code: 127, by: null });
});

const AUTOGROUP = '/proc/self/autogroup';

test.runIf(existsSync(AUTOGROUP))(
  'where Linux schedules by session, a program gives way as a session, however many begin at once',
  async () => {
    const given = async (pid: number) => (await readFile(`/proc/${pid}/autogroup`, 'utf8')).replace(/^.* nice /, '');
    const spoken = Array.from({ length: 4 }, () => newMark());
    for (const mark of spoken) launchedBy(7, '/bin/sh', '-c', 'sleep 600; true', mark);
    const within = newMark();
    run('sleep 600; true', within);
    for (const [mark, by] of [...spoken.map((mark) => [mark, 7] as const), [within, 3] as const]) {
      const group = await until(async () => (await groupsWith(mark))[0], { what: `${mark} has started` });
      await until(async () => Number(await given(group)) === by, { what: `the session of ${mark} gives way by ${by}` });
    }
  },
);

test('a killed program ends with all processes that it started', async () => {
  const mark = newMark();
  const program = start('/bin/sh', '-c', `sh -c 'trap "" TERM INT HUP; sleep 600; true' "$0" & wait`, mark);
  await starterOf(mark);
  program.kill();
  expect(await program.ended).toEqual({ code: null, by: 'SIGKILL' });
  await none(mark);
});

test('processes that a started program leaves behind are killed', async () => {
  const mark = newMark();
  const script = `sh -c 'sleep 600; true' "$0" >/dev/null </dev/null & exit 0`;
  expect(await start('/bin/sh', '-c', script, mark).ended).toEqual({ code: 0, by: null });
  await none(mark);
});

test('where the launcher is lost, its programs end and count as killed, and the next one has another', async () => {
  const [within, spoken] = [newMark(), newMark()];
  const running = run('sleep 600; true', within);
  // It never reads its standard input, so a closed one does not end it: it has to be killed.
  const program = start('/bin/sh', '-c', 'sleep 600; true', spoken);
  await program.stdout;
  const [group] = await groupsWith(spoken);
  const starter = await starterOf(within);
  process.kill(starter, 'SIGKILL');
  const why = 'the process that starts programs ended with SIGKILL';
  expect(await running.result).toEqual({ kind: 'killed', by: why });
  expect(await program.ended).toEqual({ code: null, by: why });
  await none(within);
  await until(async () => !(await isLiving(group!)), { what: 'the started program has ended' });
  expect(await run('echo again').result).toMatchObject({ kind: 'ended', output: 'again\n' });
});

test('a program ends with us also where we die while its output is handed over', async () => {
  const mark = newMark();
  const ours = spawn(process.execPath, [HELD, mark], { stdio: 'ignore' });
  try {
    const starter = await starterOf(mark);
    ours.kill('SIGKILL');
    await none(mark);
    await until(async () => !(await isLiving(starter)), { what: 'the launcher has ended' });
  } finally {
    ours.kill('SIGKILL');
  }
});

test('lines arrive before the result', async () => {
  const lines: string[] = [];
  const { result } = launcher.run({ program: 'sh', args: ['-c', 'seq 1 2000'], ...LIMITS }, (line) => lines.push(line));
  expect(await result).toMatchObject({ kind: 'ended', code: 0 });
  expect(lines).toEqual(Array.from({ length: 2_000 }, (_, index) => String(index + 1)));
});

test('a process without programs at work ends by itself', async () => {
  const command = { program: 'sh', args: ['-c', 'true'], ...LIMITS };
  const ours = spawn(process.execPath, [CHILD, JSON.stringify(command)], { stdio: 'ignore' });
  expect(await once(ours, 'exit')).toEqual([0, null]);
});
