import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { lockDataFolder } from './data-folder.ts';

let root: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  rmSync(root, { recursive: true });
});

/** Starts another process that tries to take the folder, and returns the first line it prints. */
async function start(folder: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'data-folder.child.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('a new folder is readable by this user alone', async () => {
  const folder = join(root, 'a', 'data');
  const lock = await lockDataFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await lock.release();
});

test('a second start names the process that has the folder, and changes nothing', async () => {
  const folder = join(root, 'data');
  const lock = await lockDataFolder(folder);
  const before = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
  const { line } = await start(folder);
  expect(line).toBe(
    `the data folder ${folder} is in use by process ${process.pid}; stop that one first, or start with another folder`,
  );
  await expect(lockDataFolder(folder)).rejects.toThrow(`process ${process.pid}`);
  expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])).toEqual(before);
  await lock.release();
});

test('a killed owner leaves the folder free, whatever files it left', async () => {
  const folder = join(root, 'data');
  const { child, line } = await start(folder);
  expect(line).toBe('locked');
  await expect(lockDataFolder(folder)).rejects.toThrow(`process ${child.pid}`);
  await kill(child);
  expect(existsSync(join(folder, 'owner.pid'))).toBe(true);
  const lock = await lockDataFolder(folder);
  await lock.release();
});

test('a released folder can be taken again, and releasing twice is harmless', async () => {
  const folder = join(root, 'data');
  const first = await lockDataFolder(folder);
  await first.release();
  const { line } = await start(folder);
  expect(line).toBe('locked');
  await first.release();
  await expect(lockDataFolder(folder)).rejects.toBeInstanceOf(PortError);
});

test.each([
  ['in its place', 'file'],
  ['in place of its parent', 'file/data'],
])('a file %s is named in one line', async (_, path) => {
  writeFileSync(join(root, 'file'), 'x');
  const refusal = lockDataFolder(join(root, path));
  await expect(refusal).rejects.toThrow(
    `can't use ${join(root, path)} as data folder: a file stands where a folder is needed`,
  );
  await expect(refusal).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a folder that cannot be written is named in one line', async () => {
  // /proc accepts no new folder from any user, root included.
  await expect(lockDataFolder('/proc/crier')).rejects.toThrow(/^can't use \/proc\/crier as data folder: [^\n]+$/);
});
