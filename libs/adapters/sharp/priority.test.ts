import { readdir, truncate, writeFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { childGroupsWith, isLiving, membersOf } from '#adapters/child-process/process-group.fixture.ts';
import { openMediaFolder } from '#media/made-files.fixture.ts';
import { createPictures } from './pictures.ts';

const LARGE_BYTES = 240_000_000;
const lowered = (by: number): number => Math.min(constants.priority.PRIORITY_LOW, getPriority() + by);

/**
 * The priorities of the workers that this process runs, lowest number first. Each is stopped as it is seen, so that it
 * does not end before the others are.
 */
async function priorities(): Promise<number[]> {
  const groups = await childGroupsWith('picture-worker', process.pid);
  // What a worker is started through has its name in its arguments, too.
  const pids = (await Promise.all(groups.map((group) => membersOf(group, process.execPath)))).flat();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return pids.map((pid) => getPriority(pid)).sort((a, b) => a - b);
}

test('a further picture of a Workspace gives way to the first of another', async () => {
  await using folder = await openMediaFolder('priority');
  // A worker that gets so much is at work for a while, whatever it is.
  const path = folder.path('large.png');
  await writeFile(path, '');
  await truncate(path, LARGE_BYTES);
  const pictures = createPictures({ idleWorkers: 0, restMs: 60_000, longMs: 60_000, mostAlone: 2 });
  const ending = new AbortController();
  const probe = (workspaceId: string) => pictures.probe({ workspaceId, path, signal: ending.signal }, 'image/png');
  const ofOne = Promise.allSettled(['one', 'one'].map(probe));
  await expect.poll(priorities, { interval: 5 }).toEqual([lowered(3), lowered(15)]);
  // Later, as beside another Workspace the second one would wait for the first.
  const ofOther = Promise.allSettled([probe('other')]);
  await expect.poll(priorities, { interval: 5 }).toEqual([lowered(3), lowered(3), lowered(15)]);
  ending.abort();
  await Promise.all([ofOne, ofOther]);
  await pictures.close();
});

test('a picture that takes long gives way to those of others, with all threads that work on it', async () => {
  await using folder = await openMediaFolder('long');
  const path = folder.path('large.png');
  await writeFile(path, '');
  await truncate(path, LARGE_BYTES);
  const pictures = createPictures({ idleWorkers: 0, longMs: 0 });
  const ending = new AbortController();
  const probing = pictures.probe({ workspaceId: 'one', path, signal: ending.signal }, 'image/png').catch(() => null);
  // Lower still where it had not begun to give way as all workers do.
  const least = lowered(15);
  const areLow = (all: readonly number[]): boolean => all.length > 0 && all.every((priority) => priority >= least);
  await expect.poll(async () => areLow(await priorities()), { interval: 5 }).toBe(true);
  const [group] = await childGroupsWith('picture-worker', process.pid);
  const ofThreads = async () => (await readdir(`/proc/${group}/task`)).map((thread) => getPriority(Number(thread)));
  await expect.poll(async () => areLow(await ofThreads()), { interval: 5 }).toBe(true);
  ending.abort();
  await probing;
  await pictures.close();
});

test('a Workspace with many pictures does not end the worker that waits for the next one of another', async () => {
  await using folder = await openMediaFolder('resting');
  const path = folder.path('small.png');
  await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } }).toFile(path);
  const pictures = createPictures({ idleWorkers: 0, restMs: 60_000 });
  const probe = (workspaceId: string) => pictures.probe({ workspaceId, path }, 'image/png');
  await probe('few');
  const [waiting] = await childGroupsWith('picture-worker', process.pid);
  await Promise.all(['many', 'many', 'many', 'many'].map(probe));
  expect(await isLiving(waiting!)).toBe(true);
  await probe('few');
  expect(await childGroupsWith('picture-worker', process.pid)).toContain(waiting);
  await pictures.close();
});
