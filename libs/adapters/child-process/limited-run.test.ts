import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { runLimited, type LimitedCommand } from './limited-run.ts';
import { groupsWith, killGroupsWith } from './process-group.fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crier-run-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let runs = 0;
/** A command for `sh` with a unique mark, by which the test finds it among all processes. */
function sh(
  script: string,
  more: Partial<LimitedCommand> = {},
): { readonly mark: string; readonly command: LimitedCommand } {
  const mark = `crier-run-${process.pid}-${runs++}`;
  const limits = { reach: 'unconfined', memoryBytes: 1e9, timeMs: 20_000, threads: 1, fileBytes: 1e9 } as const;
  return { mark, command: { program: 'sh', args: ['-c', script, mark], ...limits, ...more } };
}

/** The arguments of a Node that runs the command. */
const runningIt = (command: LimitedCommand): string[] => [
  new URL('./limited-run.child.ts', import.meta.url).pathname,
  JSON.stringify(command),
];

test('the output and the exit code of a program are returned', async () => {
  const { command } = sh('echo one; echo two >&2; exit 3');
  expect(await runLimited(command)).toEqual({ kind: 'ended', code: 3, output: 'one\n', errors: 'two\n' });
});

test('the program gets nothing of our environment, and no standard input', async () => {
  const { command } = sh('env | cut -d= -f1 | sort | tr "\\n" " "; cat');
  const outcome = await runLimited(command);
  expect(outcome).toMatchObject({ kind: 'ended', code: 0 });
  expect(
    outcome.kind === 'ended' &&
      outcome.output.split(' ').filter((name) => !['_', 'SHLVL', 'OLDPWD', ''].includes(name)),
  ).toEqual(['LC_ALL', 'PATH', 'PWD']);
});

test('output lines arrive one by one, each complete', async () => {
  const lines: string[] = [];
  const { command } = sh('printf a; sleep 0.05; printf "b\\nc\\n"', { onLine: (line) => void lines.push(line) });
  await runLimited(command);
  expect(lines).toEqual(['ab', 'c']);
});

/** Starts two children that bear the mark too; one of them ignores the signals that ask it to end. */
const endless = `sh -c 'sleep 600; true' "$0" & sh -c 'trap "" TERM INT HUP; sleep 600; true' "$0" & wait`;

/** Killed processes disappear only when the kernel has reaped them, so the test waits for that. */
const gone = (mark: string) =>
  until(async () => (await groupsWith(mark)).length === 0, { what: 'no process of it is left' });

test('after its time limit it is killed with all processes that it started', async () => {
  const { mark, command } = sh(endless, { timeMs: 200 });
  expect(await runLimited(command)).toEqual({ kind: 'over', limit: 'time' });
  await gone(mark);
});

test("when aborted, it is killed with all processes that it started, and the call rejects with the signal's reason", async () => {
  const abort = new AbortController();
  const { mark, command } = sh(endless, { signal: abort.signal });
  const run = runLimited(command).catch((error: unknown) => error);
  await until(async () => (await groupsWith(mark)).length > 0, { what: 'it has started' });
  abort.abort(new Error('enough'));
  expect(await run).toMatchObject({ message: 'enough' });
  await gone(mark);
});

test('when our process is killed with -9, the program ends too', async () => {
  const { mark, command } = sh(endless, { timeMs: 600_000 });
  const us = spawn(process.execPath, runningIt(command));
  try {
    await until(async () => (await groupsWith(mark)).length > 0, { what: 'it has started' });
    us.kill('SIGKILL');
    await gone(mark);
  } finally {
    us.kill('SIGKILL');
    await killGroupsWith(mark);
  }
});

test('when the signal is already aborted, no program is started', async () => {
  const { command } = sh('touch started', { signal: AbortSignal.abort(new Error('before')) });
  await expect(runLimited(command)).rejects.toThrow('before');
});

test('processes that it leaves behind when it ends are killed', async () => {
  const { mark, command } = sh(`sh -c 'sleep 600; true' "$0" >/dev/null 2>&1 & exit 0`);
  expect(await runLimited(command)).toMatchObject({ kind: 'ended', code: 0 });
  await gone(mark);
});

test('a file that it writes ends at the limit', async () => {
  const path = join(folder, 'big');
  const { command } = sh(`exec head -c 5000000 /dev/zero > ${path}`, { fileBytes: 1_048_576 });
  expect(await runLimited(command)).toEqual({ kind: 'over', limit: 'file' });
  expect((await stat(path)).size).toBe(1_048_576);
});

test('its output ends at the limit', async () => {
  const { command } = sh('exec head -c 500000000 /dev/zero');
  expect(await runLimited(command)).toEqual({ kind: 'over', limit: 'output' });
});

test("its output ends at the command's own limit, where it has one", async () => {
  const { command } = sh('exec head -c 5000 /dev/zero', { outputBytes: 1_000 });
  expect(await runLimited(command)).toEqual({ kind: 'over', limit: 'output' });
});

test('a line without an end counts as too much output', async () => {
  const { command } = sh('exec head -c 500000000 /dev/zero', { onLine: () => undefined, outputBytes: 100_000 });
  expect(await runLimited(command)).toEqual({ kind: 'over', limit: 'output' });
});

/** The lowest priority that Linux knows: what runs with it can give way no further. */
const LOWEST = constants.priority.PRIORITY_LOW;

test('its priority is lower than ours', async () => {
  const { command } = sh('nice');
  const outcome = await runLimited(command);
  expect(Number(outcome.kind === 'ended' && outcome.output)).toBe(Math.min(LOWEST, getPriority() + 3));
});

test('its priority is lower than ours where ours is low already', async () => {
  const file = join(folder, 'nice');
  const ours = Math.min(LOWEST, getPriority() + 7);
  const { command } = sh(`nice > ${file}`);
  await promisify(execFile)('nice', ['-n', '7', process.execPath, ...runningIt(command)]);
  expect(Number(await readFile(file, 'utf8'))).toBe(Math.min(LOWEST, ours + 3));
});

test('what is at work for long gives way further, with all that it started', async () => {
  const lowered = Math.min(LOWEST, getPriority() + 10);
  const { command } = sh(`sh -c 'until [ "$(nice)" -ge ${lowered} ]; do sleep 0.02; done; nice'; true`, {
    longMs: 100,
  });
  const outcome = await runLimited(command);
  expect(Number(outcome.kind === 'ended' && outcome.output)).toBe(lowered);
});

test('it gets no more memory than the limit', async () => {
  const { command } = sh('', {
    program: process.execPath,
    args: ['-e', 'Buffer.alloc(2e9, 1); console.log("had it")'],
    memoryBytes: 1.2e9,
  });
  const outcome = await runLimited(command);
  expect(outcome).toMatchObject({ kind: 'ended', output: '' });
  expect(outcome).not.toMatchObject({ code: 0 });
});

test('a missing program is distinguished from one that fails', async () => {
  const { command } = sh('', { program: 'crier-has-no-such-program' });
  expect(await runLimited(command)).toEqual({ kind: 'missing' });
  expect(await runLimited({ ...command, program: '/no/such/program' })).toEqual({ kind: 'missing' });
});

test('a kill from outside is reported, whether it hits the program or its whole group', async () => {
  const { command } = sh('kill -KILL $$');
  expect(await runLimited(command)).toEqual({ kind: 'killed', by: 'signal 9' });
  const { command: all } = sh('kill -KILL 0');
  expect(await runLimited(all)).toEqual({ kind: 'killed', by: 'SIGKILL' });
});
