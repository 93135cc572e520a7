import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLocalFiles } from '#adapters/filesystem/local-files.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';
import type { JudgeFile } from '#use-cases/dependencies.ts';
import { createJudge } from '../uploads/judging.ts';

const OFF = 'Videos can not be prepared here: ffmpeg is not installed.';
const reservation = (contentType: string) => ({ filename: 'a file', contentType, bytes: 1_000 });

const openWithoutVideos = () =>
  openIngressWorld({
    videosOff: async () => OFF,
    inspectAddress: async (url) => ({
      contentType: url.endsWith('.jpg') ? 'image/jpeg' : 'video/mp4',
      bytes: 1_000,
      problem: null,
    }),
  });

test('where videos can not be prepared none is reserved, with that reason, and pictures are', async () => {
  await using open = await openWithoutVideos();
  const { harness, key } = open;
  for (const contentType of ['video/mp4', 'Video/QuickTime']) {
    const { status, body } = await harness.call('POST', '/api/media', { key, body: reservation(contentType) });
    expect([status, body.error]).toMatchObject([422, { code: 'media_unacceptable', message: OFF }]);
  }
  expect((await harness.call('POST', '/api/media', { key, body: reservation('image/jpeg') })).status).toBe(201);
});

test('a Post with a video from an address is refused there too; one with a picture is created', async () => {
  await using open = await openWithoutVideos();
  const { harness, key, channels } = open;
  const post = (url: string) =>
    harness.call('POST', '/api/posts', { key, body: { text: 'Look', channelIds: [channels[0]], media: [{ url }] } });
  const { status, body } = await post('https://files.test/film');
  expect([status, body.error.code, body.error.message]).toEqual([422, 'media_unacceptable', `media[0]: ${OFF}`]);
  expect((await post('https://files.test/a.jpg')).status).toBe(201);
});

test('a video that was reserved before its tool was removed is refused when it is completed, with that reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-videos-off-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tools = createRealMediaTools({ video: { ffprobe: '/nowhere/ffprobe' } });
  onTestFinished(() => tools.close());
  let judge: JudgeFile | null = null;
  await using open = await openIngressWorld({ judge: (...asked) => judge!(...asked) });
  const { harness, key, world } = open;
  judge = createJudge({ tools, blobs: world.blobs, files: createLocalFiles({ blobs: world.blobs, folder }) });
  const { bytes, contentType } = MEDIA_FIXTURES.reel;
  const reserved = (
    await harness.call('POST', '/api/media', { key, body: { filename: 'a film', contentType, bytes: bytes.length } })
  ).body.data;
  expect(
    (
      await harness.call('PUT', reserved.uploadUrl.slice(harness.url.length), {
        body: bytes,
        headers: { 'Content-Type': contentType },
      })
    ).status,
  ).toBe(204);
  const { status, body } = await harness.call('POST', `/api/media/${reserved.assetId}/complete`, { key });
  expect([status, body.error.code]).toEqual([422, 'media_unacceptable']);
  expect(body.error.message).toContain('ffprobe is not installed');
});
