import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import { filmOf } from '../instagram/instagram.fixture.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  announced,
  begin,
  call,
  live,
  mediaOf,
  PROCESSED_MS,
  put,
  signInTiktok,
  statusOf,
  tiktok,
  tiktokHarness,
  videoInit,
} from './tiktok.fixture.ts';

const MEGABYTE = 1_000_000;
const HOUR_MS = 3_600_000;
const { bytes } = MEDIA_FIXTURES.reel;

/** A film in three chunks of 5 MB, the last of which takes 1 MB more. */
const CHUNK = 5 * MEGABYTE;
const large = Buffer.concat([filmOf(4_000, 720, 1_280), Buffer.alloc(16 * MEGABYTE, 7)]).subarray(0, 16 * MEGABYTE);
const ENDS = [CHUNK, 2 * CHUNK, large.length];

describe('an upload of chunks', () => {
  test('accepts them in order, reports how far it came, and keeps every byte', async () => {
    const { harness, who } = await tiktok();
    const { publish_id: id, upload_url: url } = await begin(harness, who, large.length, CHUNK);
    for (const [index, end] of ENDS.entries()) {
      expect(await statusOf(harness, who, id)).toMatchObject({
        status: 'PROCESSING_UPLOAD',
        uploaded_bytes: ENDS[index - 1] ?? 0,
      });
      expect(await live(harness)).toEqual([]);
      const { status, headers } = await put(harness, url, large, ENDS[index - 1] ?? 0, end);
      expect([status, headers['content-range']]).toEqual([
        end === large.length ? 201 : 206,
        `bytes 0-${end}/${large.length}`,
      ]);
    }
    expect(await statusOf(harness, who, id)).toMatchObject({
      status: 'PROCESSING_UPLOAD',
      uploaded_bytes: large.length,
      downloaded_bytes: 0,
    });
    const sha256 = createHash('sha256').update(large).digest('hex');
    expect(await live(harness)).toEqual([
      expect.objectContaining({ media: [{ sha256, bytes: large.length, contentType: 'video/mp4' }] }),
    ]);
    const { calls } = (await harness.ask('GET', '/sandbox/calls?network=tiktok')).body;
    expect(
      calls.filter(({ method }: { method: string }) => method === 'PUT').map((one: { call: string }) => one.call),
    ).toEqual(['video.upload_part', 'video.upload_part', 'video.upload']);
  });

  test('refuses a chunk that does not continue, and names the offset at which to continue', async () => {
    const { harness, who } = await tiktok();
    const { upload_url: url } = await begin(harness, who, large.length, CHUNK);
    const refused = (came: number) => ({
      status: 416,
      headers: { 'content-range': `bytes 0-${came}/${large.length}` },
    });
    expect(await put(harness, url, large, CHUNK, 2 * CHUNK)).toMatchObject(refused(0));
    await put(harness, url, large, 0, CHUNK);
    expect(await put(harness, url, large, 0, CHUNK)).toMatchObject(refused(CHUNK));
    expect(await put(harness, url, large, 2 * CHUNK)).toMatchObject(refused(CHUNK));
    expect((await put(harness, url, large, CHUNK, 2 * CHUNK)).status).toBe(206);
    expect((await put(harness, url, large, 2 * CHUNK)).status).toBe(201);
    expect(await put(harness, url, large, 2 * CHUNK)).toMatchObject(refused(large.length));
    expect(await put(harness, url, large, 0, CHUNK)).toMatchObject(refused(large.length));
    expect((await live(harness)).length).toBe(1);
  });

  test('continues after a restart, and a chunk that broke off counts for nothing', async () => {
    const [store, kept] = [createMemoryStore(), createMemoryBytes()];
    const before = tiktokHarness({}, { store, bytes: kept });
    const who = await signInTiktok(before);
    const { publish_id: id, upload_url: url } = await begin(before, who, large.length, CHUNK);
    await put(before, url, large, 0, CHUNK);
    kept.write(`upload${new URL(url).searchParams.get('upload_id')}`, CHUNK, large.subarray(CHUNK, CHUNK + 1_000));
    const after = tiktokHarness({}, { store, bytes: kept });
    expect(await statusOf(after, who, id)).toMatchObject({ status: 'PROCESSING_UPLOAD', uploaded_bytes: CHUNK });
    expect((await put(after, url, large, CHUNK, 2 * CHUNK)).status).toBe(206);
    expect((await put(after, url, large, 2 * CHUNK)).status).toBe(201);
    await after.clock.advance(PROCESSED_MS);
    expect(await statusOf(after, who, id)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
  });
});

describe('a chunk is refused with 400', () => {
  test.each([
    ['without a range', { 'Content-Range': '' }],
    ['with a range that is none', { 'Content-Range': 'bytes 0-/10' }],
    ['with a range of other length', { 'Content-Range': `bytes 0-${bytes.length - 2}/${bytes.length}` }],
    ['of another file', { 'Content-Range': `bytes 0-${bytes.length - 1}/${bytes.length + 1}` }],
    ['without a type', { 'Content-Type': '' }],
    ['of another type', { 'Content-Type': 'application/octet-stream' }],
    ['of unknown length', { 'Transfer-Encoding': 'chunked' }],
  ])('%s', async (_what, headers) => {
    const { harness, who } = await tiktok();
    const { upload_url: url } = await begin(harness, who);
    expect((await put(harness, url, bytes, 0, bytes.length, headers)).status).toBe(400);
    expect(await live(harness)).toEqual([]);
    expect((await put(harness, url, bytes, 0, bytes.length, { 'Content-Type': 'video/quicktime' })).status).toBe(201);
  });

  test('of another size than announced', async () => {
    const { harness, who } = await tiktok();
    const { upload_url: url } = await begin(harness, who, large.length, CHUNK);
    for (const end of [CHUNK - 1, CHUNK + 1, large.length])
      expect((await put(harness, url, large, 0, end)).status).toBe(400);
    const small = await begin(harness, who);
    expect((await put(harness, small.upload_url, bytes, 0, 1_000)).status).toBe(400);
  });
});

test('an address is valid for an hour, and only exactly as given', async () => {
  const { harness, who } = await tiktok();
  const { publish_id: id, upload_url: url } = await begin(harness, who);
  for (const wrong of [
    url.replace(/upload_id=\d+/, 'upload_id=1'),
    url.replace(/upload_token=\w+/, 'upload_token=x'),
    `${url}0`,
    url.replace(/\?.*/, ''),
  ]) {
    expect((await put(harness, wrong, bytes)).status).toBe(404);
  }
  await harness.clock.advance(HOUR_MS - 1);
  const { upload_url: other } = await begin(harness, who);
  await harness.clock.advance(1);
  expect((await put(harness, url, bytes)).status).toBe(403);
  expect(await statusOf(harness, who, id)).toMatchObject({ status: 'PROCESSING_UPLOAD', uploaded_bytes: 0 });
  expect((await put(harness, other, bytes)).status).toBe(201);
  expect(await live(harness)).toEqual([expect.objectContaining({ media: mediaOf('reel') })]);
});

describe('chunks as announced', () => {
  test.each([
    ['a small file in one', announced(1_000)],
    ['64 MB in one', announced(64 * MEGABYTE)],
    ['a remainder in the last', announced(50_000_123, 10 * MEGABYTE)],
    ['the smallest chunks', announced(16 * MEGABYTE, CHUNK)],
    ['the largest chunks', announced(4_000 * MEGABYTE, 64 * MEGABYTE)],
  ])('%s: taken', async (_what, source) => {
    const { harness, who } = await tiktok();
    expect((await call(harness, who, 'video/init', videoInit(source))).body).toMatchObject({
      data: {
        publish_id: expect.stringMatching(/^v_pub_file~v2-1\.\d+$/),
        upload_url: expect.stringMatching(
          /^http:\/\/sandbox\.test\/sim\/tiktok\/video\/\?upload_id=\d+&upload_token=\w+$/,
        ),
      },
      error: { code: 'ok' },
    });
  });

  test.each([
    ['no size', { source: 'FILE_UPLOAD' }],
    ['no file', announced(0, 1, 1)],
    ['more than 4 GB', announced(4_001 * MEGABYTE, 64 * MEGABYTE)],
    ['a size in words', { ...announced(1_000), video_size: '1000' }],
    ['half a byte', announced(1_000.5)],
    ['no chunks', { source: 'FILE_UPLOAD', video_size: 1_000 }],
    ['a chunk too small', announced(16 * MEGABYTE, 4 * MEGABYTE)],
    ['a chunk too large', announced(200 * MEGABYTE, 65 * MEGABYTE)],
    ['a chunk larger than the file', announced(CHUNK - 1, CHUNK, 1)],
    ['a count rounded up', announced(16 * MEGABYTE, CHUNK, 4)],
    ['more than 64 MB in one', announced(65 * MEGABYTE)],
    ['more than 64 MB in one large last', announced(100 * MEGABYTE, 64 * MEGABYTE)],
    ['an unknown source', { ...announced(1_000), source: 'FTP' }],
  ])('%s: refused', async (_what, source) => {
    const { harness, who } = await tiktok();
    expect(await call(harness, who, 'video/init', videoInit(source))).toMatchObject({
      status: 400,
      body: { data: {}, error: { code: 'invalid_params' } },
    });
  });
});

test('a cancelled upload accepts no more bytes and has failed; a complete one is not cancelled', async () => {
  const { harness, who } = await tiktok();
  const { publish_id: id, upload_url: url } = await begin(harness, who, large.length, CHUNK);
  await put(harness, url, large, 0, CHUNK);
  expect((await call(harness, who, 'cancel', { publish_id: id })).body.error.code).toBe('ok');
  expect((await put(harness, url, large, CHUNK, 2 * CHUNK)).status).toBe(404);
  expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: 'publish_cancelled' });
  const { publish_id: whole, upload_url: at } = await begin(harness, who);
  await put(harness, at, bytes);
  for (const again of [id, whole])
    expect(await call(harness, who, 'cancel', { publish_id: again })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_params' } },
    });
  expect((await live(harness)).length).toBe(1);
});
