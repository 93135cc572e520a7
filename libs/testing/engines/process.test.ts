import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EngineProcess, freePorts, startedOnFreePorts } from './process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-engine-'));
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

/** A process that says why it ends, among what its JVM says, and never serves. */
const ending = (log: string): Promise<void> =>
  new EngineProcess({
    name: 'an engine',
    command: 'sh',
    args: ['-c', 'echo the port is taken; for i in $(seq 50); do echo "[warning][cds] Skipping a class"; done'],
    env: {},
    logFile: join(folder, log),
    probe: () => Promise.reject(new Error('it does not serve')),
    readyWithinMs: 60_000,
  }).start();

test('an engine that ends while it starts is started once more, and then says what its log held', async () => {
  const started: string[] = [];
  const start = (): Promise<string> => {
    const log = `${started.push('a start')}.log`;
    return started.length < 2 ? ending(log).then(() => 'never') : Promise.resolve('it serves');
  };
  expect(await startedOnFreePorts(start)).toBe('it serves');
  await expect(startedOnFreePorts(() => ending('again.log'))).rejects.toThrow('the port is taken');
});

test('another failure of a start is not tried again', async () => {
  const start = vi.fn(() => Promise.reject(new Error('no java')));
  await expect(startedOnFreePorts(start)).rejects.toThrow('no java');
  expect(start).toHaveBeenCalledTimes(1);
});

test('ports that several processes choose at once are chosen by one of them each', async () => {
  const module = pathToFileURL(join(import.meta.dirname, 'process.ts')).href;
  // It lives until its input ends: what ended has no ports any more.
  const script = `import { freePorts } from '${module}';
    process.stdin.resume();
    console.log(JSON.stringify(await freePorts(400)));`;
  await using stack = new AsyncDisposableStack();
  const chosen = async (): Promise<readonly number[]> => {
    const args = ['--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    stack.defer(async () => void (child.stdin.end(), await once(child, 'close')));
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return JSON.parse(line) as readonly number[];
  };
  const ports = (await Promise.all([chosen(), chosen(), chosen(), freePorts(50)])).flat();
  expect(ports.filter((port, index) => ports.indexOf(port) !== index)).toEqual([]);
});
