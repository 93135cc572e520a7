import { execFile } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { childGroupsWith, groupsWith, isLiving } from '#adapters/child-process/process-group.fixture.ts';
import { createVideos } from '#adapters/ffmpeg/videos.ts';
import { createPictures } from '#adapters/sharp/pictures.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { box, movieOfTracks } from './hostile-files.fixture.ts';
import { openMediaFolder, type MediaFolder } from './made-files.fixture.ts';

const tools = createRealMediaTools();
let bench: MediaFolder;
beforeAll(async () => {
  bench = await openMediaFolder('server-loop');
});
afterAll(async () => {
  await tools.close();
  await bench[Symbol.asyncDispose]();
});

/**
 * What work answers, while a server would go on with its own: how long the event loop was held at once at the most, and
 * how much of the processor this thread took, which is the same on a machine that others keep busy; milliseconds.
 */
async function besideServer<T>(
  what: string,
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly heldMs: number; readonly usedMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const [from, before] = [performance.now(), process.threadCpuUsage()];
  const answer = await work();
  const [tookMs, used] = [performance.now() - from, process.threadCpuUsage(before)];
  delays.disable();
  const [heldMs, usedMs] = [delays.max / 1e6, (used.user + used.system) / 1000];
  process.stdout.write(
    `${what}: answered after ${Math.round(tookMs)} ms; of the server's thread ${usedMs.toFixed(1)} ms, at once ${heldMs.toFixed(1)} ms\n`,
  );
  return { answer, heldMs, usedMs };
}

/**
 * Freezing files took seconds, minutes and hours. Starting a process takes some milliseconds, and a hundred where the
 * memory of this process has grown; on a busy machine a thread that wants to run may wait.
 */
const MAX_USED_MS = 500;
const MAX_HELD_MS = 1_000;

const boxes = (count: number) => Buffer.alloc(8 * count, box('free'));

test.each<[string, string, () => Buffer]>([
  ['10,000 tracks', 'more tracks', () => movieOfTracks(10_000)],
  ['100,000 tracks', 'more tracks', () => movieOfTracks(100_000)],
  ['200,000 boxes', 'more parts', () => Buffer.concat([movieOfTracks(1), boxes(200_000)])],
  [
    'a track of 200,000 boxes',
    'more parts',
    () => Buffer.concat([box('ftyp', 'isom'), box('moov', box('trak', boxes(200_000)))]),
  ],
])('a movie of %s is refused in words, and holds nobody up', async (name, words, make) => {
  const path = bench.path(`${name.replaceAll(/\W/g, '-')}.mp4`);
  const movie = make();
  await writeFile(path, movie);
  const { answer, heldMs, usedMs } = await besideServer(`${name}, ${movie.length} bytes`, () =>
    tools.probe({ workspaceId: 'w1', path }),
  );
  expect(usedMs).toBeLessThan(MAX_USED_MS);
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
  expect(answer).toEqual({ kind: 'refused', words: expect.stringContaining(words) });
});

/**
 * A pipe without a writer: opening it never ends, like reading a file whose bound was forgotten.
 */
async function endlessFile(name: string): Promise<string> {
  await promisify(execFile)('mkfifo', [bench.path(name)]);
  return bench.path(name);
}

test('a file whose reading never ends is killed at its deadline, refused with a reason, and delays no request', async () => {
  const path = await endlessFile('endless.mp4');
  const { answer, heldMs, usedMs } = await besideServer('a file without an end', () =>
    createVideos({ boxesMs: 300 }).probe({ workspaceId: 'w1', path }),
  );
  expect(answer).toEqual({ kind: 'refused', words: expect.stringContaining('takes too long') });
  expect([usedMs < MAX_USED_MS, heldMs < MAX_HELD_MS]).toEqual([true, true]);
  await until(async () => (await groupsWith(path)).length === 0, { what: 'nothing of it is left' });
});

test('reading that is aborted is killed at once, and rejects with the reason', async () => {
  const path = await endlessFile('aborted.mp4');
  const abort = new AbortController();
  const probing = createVideos()
    .probe({ workspaceId: 'w1', path, signal: abort.signal })
    .catch((error: unknown) => error);
  await until(async () => (await groupsWith(path)).length > 0, { what: 'it is being read' });
  abort.abort(new Error('enough'));
  expect(await probing).toMatchObject({ message: 'enough' });
  await until(async () => (await groupsWith(path)).length === 0, { what: 'nothing of it is left' });
});

test('a look at a picture that is aborted is killed at once, and rejects with the reason', async () => {
  // So long that it is still being handed over when the worker is seen.
  const path = bench.path('aborted.jpg');
  await writeFile(path, Buffer.from('ffd8ffe0', 'hex'));
  await truncate(path, 240_000_000);
  const pictures = createPictures();
  const workers = () => childGroupsWith('picture-worker', process.pid);
  const before = new Set(await workers());
  const abort = new AbortController();
  const probing = pictures
    .probe({ workspaceId: 'w1', path, signal: abort.signal }, 'image/jpeg')
    .catch((error: unknown) => error);
  const group = await until(async () => (await workers()).find((one) => !before.has(one)), {
    what: 'a worker has started',
  });
  abort.abort(new Error('enough'));
  expect(await probing).toMatchObject({ message: 'enough' });
  expect(await isLiving(group)).toBe(false);
  await pictures.close();
});
