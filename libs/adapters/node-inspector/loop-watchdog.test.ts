import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const CHILD = join(import.meta.dirname, 'loop-watchdog.child.ts');

/** What a process reported that blocked its loop so. */
async function reported(plant: string, forMs: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, plant, String(forMs)]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

test('a handler that blocks the loop is named while it does: its stack, its route and its Workspace', async () => {
  const blocks = await reported('handler', 600);
  const named = blocks.find(({ stack }) => stack !== null);
  expect(named, JSON.stringify(blocks)).toMatchObject({
    ...{ work: 'listPosts', workspaceId: 'workspace-1', key: null },
    stack: expect.stringMatching(/^workThatBlocks \(adapters\/node-inspector\/loop-watchdog\.child\.ts:\d+\) < /),
  });
  expect(named!['blockedMs']).toBeGreaterThanOrEqual(500);
});

test('work of 40 ms is named as well', async () => {
  const blocks = await reported('short', 40);
  const named = blocks.find(({ stack }) => stack !== null);
  expect(named, JSON.stringify(blocks)).toMatchObject({
    ...{ work: 'listPosts', workspaceId: 'workspace-1' },
    stack: expect.stringMatching(/^workThatBlocks \(adapters\/node-inspector\/loop-watchdog\.child\.ts:\d+\) < /),
  });
  expect(named!['blockedMs']).toBeGreaterThanOrEqual(10);
});

test('of a loop that had no processor for 60 ms nothing is reported', async () => {
  expect(await reported('paused', 60)).toEqual([]);
});

test('work that has no name is reported with its stack', async () => {
  const blocks = await reported('nameless', 600);
  expect(blocks.map(({ stack }) => String(stack)).join()).toMatch(/workThatBlocks/);
});

test('a loop that never turns again ends its process, which names what blocked it in its last line', async () => {
  const failed: unknown = await promisify(execFile)(process.execPath, [CHILD, 'stuck', '3000'], {
    timeout: 60_000,
    killSignal: 'SIGTERM',
  }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ signal: 'SIGKILL' });
  const lines = (failed as { readonly stderr: string }).stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      ...{ level: 'error', service: 'crier', event: 'event-loop-stuck', time: expect.any(String) },
      ...{ work: 'listPosts', workspaceId: 'workspace-1', key: null, blockedMs: expect.any(Number) },
      stack: expect.stringMatching(/^turnsInMicrotasks \(adapters\/node-inspector\/loop-watchdog\.child\.ts:\d+\)/),
    },
  ]);
});

test('while no work begins, watching costs less than a hundredth of a core', async () => {
  const [{ processorMs } = {}] = await reported('idle', 3_000);
  expect(processorMs).toBeLessThan(30);
});
