import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { movieOfTracks } from '#media/hostile-files.fixture.ts';
import { childGroupsWith } from '#adapters/child-process/process-group.fixture.ts';
import type { ClientAnswer } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { answer } from '#testing/misbehaving-receiver.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { createPost, failed, fileOf, sendFile } from './media-files.ts';

/**
 * Movies whose index once blocked the event loop of the whole process for 18 s, and for half an hour: at `complete`,
 * and again at each start. On an idle machine other requests wait for some milliseconds; the bound leaves room for a
 * busy one.
 */
const FREEZING = [
  ['440 KB', 10_000],
  ['4.4 MB', 100_000],
] as const;
const MAX_WAIT_MS = 5_000;
const MAX_LATER_START_MS = 10_000;
const HOUR_MS = 3_600_000;
const READER = 'movie-boxes-program';

let crier: CrierUnderTest;
let neighbour: TestWorkspace;
let trusted: TrustedReceiver;
let usualStartMs = 0;

beforeAll(async () => {
  trusted = await startTrustedReceiver({ name: 'movies.test' });
  crier = await CrierUnderTest.start({
    name: 'freezing',
    env: { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0' },
  });
  neighbour = await foundWorkspace(crier, 'the neighbour');
  await crier.restart('kill');
  usualStartMs = crier.readyAfterMs;
});
afterAll(async () => {
  await crier?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

/** The longest that another Workspace waited for an answer while `work` ran. */
async function besideNeighbour(what: string, work: () => Promise<unknown>): Promise<number> {
  let [isOver, longestMs, answers] = [false, 0, 0];
  const ending = work().finally(() => {
    isOver = true;
  });
  const api = crier.api(neighbour.apiKey);
  const { now } = await crier.admin().call('clock.advance', { milliseconds: 1 });
  const scheduledAt = new Date(Date.parse(now) + HOUR_MS).toISOString();
  do {
    const from = performance.now();
    await api.createPost({ text: `${what}, ${answers}`, channelIds: [neighbour.channels.x], scheduledAt });
    longestMs = Math.max(longestMs, performance.now() - from);
    answers++;
  } while (!isOver);
  await ending;
  console.log(
    `${what}: another Workspace had ${answers} answers meanwhile, the slowest after ${Math.round(longestMs)} ms`,
  );
  return longestMs;
}

/**
 * Kills the server while it reads a file's boxes. False when it refused the file, which is when `reply` resolves,
 * before it was seen to read it: a busy machine does both between two looks.
 */
async function killedWhileRead(reply: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  reply.then(over, over);
  const isRead = async () => (await childGroupsWith(READER, crier.pid!)).length > 0;
  await until(async () => (await isRead()) || isOver, { what: 'the boxes are being read', everyMs: 2 });
  const wasOver = isOver;
  await crier.kill();
  await crier.start();
  return !wasOver;
}

const MOST_TRIES = 20;

/** Until a kill came in time, and the server told the reason only afterwards. */
async function inTime(killed: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) if (await killed()) return;
  throw new Error(`${MOST_TRIES} files were refused before the server was killed`);
}

describe.each(FREEZING)('a movie of %s whose index blocks its reader', (size, tracks) => {
  const movie = fileOf('video/mp4', movieOfTracks(tracks));
  const expectUsualStart = () => {
    console.log(
      `${size}: ready ${Math.round(crier.readyAfterMs)} ms after the kill; usually ${Math.round(usualStartMs)} ms`,
    );
    expect(crier.readyAfterMs).toBeLessThan(2 * usualStartMs + MAX_LATER_START_MS);
  };

  test(
    'uploaded: it is refused with a reason, also after a kill -9 while it is read, and no other request waits for it',
    { timeout: 600_000 },
    async () => {
      await inTime(async () => {
        const assetId = await sendFile(crier.api(), movie);
        const complete = () => crier.api().send('POST', `/api/media/${assetId}/complete`);
        const wasKilledInTime = await killedWhileRead(complete().catch(() => null));
        expectUsualStart();
        let said: ClientAnswer['body'];
        const longestMs = await besideNeighbour(`${size} uploaded`, async () => {
          said = (await complete()).body;
        });
        expect(longestMs).toBeLessThan(MAX_WAIT_MS);
        expect(said.error.code).toBe('media_unacceptable');
        // The refusal may be kept although the reader was seen: then the file is gone, and its reason was reported.
        return wasKilledInTime && said.error.message.includes('more tracks');
      });
    },
  );

  test(
    'at an address: its Post fails with a reason, also after a kill -9 while it is read, and no other request waits for it',
    { timeout: 600_000 },
    async () => {
      const headers = { 'content-type': movie.contentType };
      trusted.receiver.behave(answer(200, { headers, body: movie.bytes }));
      await inTime(async () => {
        const { id } = await createPost(crier, {
          text: size,
          channelIds: [crier.ready.demo!.channels['threads']!],
          media: [{ url: `${trusted.receiver.url}${tracks}.mp4` }],
        });
        const wasKilledInTime = await killedWhileRead(failed(crier, id));
        expectUsualStart();
        let post: Awaited<ReturnType<typeof failed>> | undefined;
        const longestMs = await besideNeighbour(`${size} at an address`, async () => {
          post = await failed(crier, id);
        });
        expect(post!.variants[0]).toMatchObject({
          failureReason: 'media_problem',
          failureDetail: expect.stringContaining('more tracks'),
        });
        expect(longestMs).toBeLessThan(MAX_WAIT_MS);
        return wasKilledInTime;
      });
    },
  );
});
