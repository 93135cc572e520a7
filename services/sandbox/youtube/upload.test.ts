import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import { filmOf } from '../instagram/instagram.fixture.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  begin,
  chunk,
  DAY_MS,
  live,
  mediaOf,
  metadata,
  put,
  question,
  signInYoutube,
  start,
  uploaded,
  UPLOAD_URL,
  youtube,
} from './youtube.fixture.ts';
import { createHarness } from '../sandbox.fixture.ts';

const GRAIN = 262_144;
const { bytes } = MEDIA_FIXTURES.film;
const total = bytes.length;
/** A video of a little more than four grains. */
const large = Buffer.concat([filmOf(4_000, 1_280, 720), Buffer.alloc(4 * GRAIN, 7)]);
const size = large.length;

describe('an upload', () => {
  test('in one piece becomes a video', async () => {
    const { harness, who } = await youtube();
    const { status, headers, text } = await start(harness, who, total);
    expect([status, text, headers['location']]).toEqual([
      200,
      '',
      expect.stringMatching(
        /^http:\/\/sandbox\.test\/sim\/youtube\/upload\/youtube\/v3\/videos\?uploadType=resumable&upload_id=\d+$/,
      ),
    ]);
    expect(await live(harness)).toEqual([]);
    const done = await put(harness, headers['location']!, bytes, '', { 'Content-Type': 'video/mp4' });
    expect([done.status, done.body]).toEqual([
      201,
      {
        ...{ kind: 'youtube#video', etag: expect.any(String), id: expect.stringMatching(/^[\w-]{11}$/) },
        snippet: {
          publishedAt: '2026-11-20T12:00:00.000Z',
          channelId: who.accountId,
          title: 'A film',
          description: 'What it shows',
          categoryId: '22',
        },
        status: {
          uploadStatus: 'uploaded',
          privacyStatus: 'public',
          license: 'youtube',
          embeddable: true,
          madeForKids: false,
          selfDeclaredMadeForKids: false,
        },
      },
    ]);
    expect(await live(harness)).toEqual([
      {
        ...{
          network: 'youtube',
          accountId: who.accountId,
          remoteId: done.body.id,
          placement: 'feed',
          text: 'What it shows',
          title: 'A film',
          media: mediaOf('film'),
        },
        ...{
          altTexts: [null],
          publishedAt: '2026-11-20T12:00:00.000Z',
          permalink: `http://sandbox.test/sim/youtube/watch?v=${done.body.id}`,
        },
        options: {
          ...{ title: 'A film', categoryId: '22', privacy: 'public', madeForKids: false, notifySubscribers: true },
        },
        ...{ link: null, comments: [] },
      },
    ]);
  });

  test('in chunks reports how far it came, after each and on request', async () => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, size);
    const askedRange = async () => {
      const { status, headers, text } = await question(harness, url, size);
      return [status, headers['range'], text];
    };
    expect(await askedRange()).toEqual([308, undefined, '']);
    for (const [from, to] of [
      [0, GRAIN],
      [GRAIN, 3 * GRAIN],
    ] as const) {
      expect(await chunk(harness, url, large, from, to)).toMatchObject({
        status: 308,
        headers: { range: `bytes=0-${to - 1}` },
      });
      expect(await askedRange()).toEqual([308, `bytes=0-${to - 1}`, '']);
    }
    expect((await question(harness, url, '*')).headers['range']).toBe(`bytes=0-${3 * GRAIN - 1}`);
    expect(await live(harness)).toEqual([]);
    expect((await chunk(harness, url, large, 3 * GRAIN, size)).status).toBe(201);
    const sha256 = createHash('sha256').update(large).digest('hex');
    expect(await live(harness)).toEqual([
      expect.objectContaining({ media: [{ sha256, bytes: size, contentType: 'video/mp4' }] }),
    ]);
    const { calls } = (await harness.ask('GET', '/sandbox/calls?network=youtube')).body;
    expect(
      calls.map(({ call }: { call: string }) => call).filter((call: string) => call.startsWith('videos.')),
    ).toEqual([
      ...[
        'videos.insert',
        'videos.upload_status',
        'videos.upload_part',
        'videos.upload_status',
        'videos.upload_part',
        'videos.upload_status',
        'videos.upload_status',
        'videos.upload',
      ],
    ]);
  });

  test('that has ended repeats its answer, whatever is sent', async () => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    const { body } = await put(harness, url, bytes);
    await harness.clock.advance(60_000);
    for (const again of [
      await question(harness, url, total),
      await put(harness, url, bytes),
      await chunk(harness, url, bytes, 0, 1_000),
    ])
      expect([again.status, again.body]).toEqual([200, body]);
    expect((await live(harness)).length).toBe(1);
  });

  test('accepts received bytes a second time, and stores them once', async () => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, size);
    await chunk(harness, url, large, 0, 2 * GRAIN);
    expect((await chunk(harness, url, large, 0, GRAIN)).headers['range']).toBe(`bytes=0-${2 * GRAIN - 1}`);
    expect((await chunk(harness, url, large, GRAIN, 3 * GRAIN)).headers['range']).toBe(`bytes=0-${3 * GRAIN - 1}`);
    expect((await chunk(harness, url, large, 0, size)).status).toBe(201);
    expect(await live(harness)).toEqual([
      expect.objectContaining({
        media: [expect.objectContaining({ sha256: createHash('sha256').update(large).digest('hex') })],
      }),
    ]);
  });

  test('continues after a restart, from the last whole grain', async () => {
    const [store, kept] = [createMemoryStore(), createMemoryBytes()];
    const { harness: before, who } = await youtube({ store, bytes: kept });
    const url = await begin(before, who, size);
    await chunk(before, url, large, 0, GRAIN);
    kept.write(`upload${new URL(url).searchParams.get('upload_id')}`, GRAIN, large.subarray(GRAIN, GRAIN + 1_000));
    const after = createHarness({ store, bytes: kept });
    expect((await question(after, url, size)).headers['range']).toBe(`bytes=0-${GRAIN - 1}`);
    const { status, body } = await chunk(after, url, large, GRAIN, size);
    expect(status).toBe(201);
    const last = createHarness({ store, bytes: kept });
    expect((await question(last, url, size)).body).toEqual(body);
    expect((await live(last)).length).toBe(1);
  });

  test('ends after a week', async () => {
    const { harness, who } = await youtube();
    const [open, whole] = [await begin(harness, who, size), await begin(harness, who, total)];
    await put(harness, whole, bytes);
    await harness.clock.advance(7 * DAY_MS - 1);
    expect([(await question(harness, open, size)).status, (await question(harness, whole, total)).status]).toEqual([
      308, 200,
    ]);
    await harness.clock.advance(1);
    expect([(await question(harness, open, size)).status, (await question(harness, whole, total)).status]).toEqual([
      410, 410,
    ]);
  });
});

describe('bytes are refused', () => {
  test.each([
    ['that leave a gap', `bytes ${GRAIN}-${2 * GRAIN - 1}/${size}`, large.subarray(GRAIN, 2 * GRAIN)],
    ['of a chunk that is no multiple', `bytes 0-999/${size}`, large.subarray(0, 1_000)],
    ['of another size', `bytes 0-${GRAIN - 1}/${size + 1}`, large.subarray(0, GRAIN)],
    ['behind the end', `bytes 0-${size}/${size}`, Buffer.alloc(size + 1)],
    ['that are fewer than the range', `bytes 0-${GRAIN - 1}/${size}`, large.subarray(0, GRAIN - 1)],
    ['of a range that is none', 'bytes 5', large.subarray(0, GRAIN)],
    ['with a question', `bytes */${size}`, large.subarray(0, 1)],
    ['without a range, when bytes are missing', '', large.subarray(0, GRAIN)],
  ])('%s', async (_what, range, sent) => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, size);
    expect(await put(harness, url, sent, range)).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^Invalid request\. /),
    });
    expect((await question(harness, url, size)).headers['range']).toBeUndefined();
    expect((await put(harness, url, large)).status).toBe(201);
  });

  test('when the total is never stated, and a question with another size', async () => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    expect((await put(harness, url, bytes, '', { 'Transfer-Encoding': 'chunked' })).status).toBe(411);
    expect((await question(harness, url, total + 1)).status).toBe(400);
  });

  test('where no upload was begun', async () => {
    const { harness } = await youtube();
    for (const url of [UPLOAD_URL, `${UPLOAD_URL}?upload_id=5`, `${UPLOAD_URL}?upload_id=__proto__`])
      expect((await put(harness, url, bytes)).status).toBe(404);
  });
});

describe('an upload is not begun', () => {
  const title = (value: unknown) => metadata({ title: value });
  test.each([
    ['with an empty title', title(''), 'invalidTitle'],
    ['with a title of spaces', title('   '), 'invalidTitle'],
    ['without a title', title(undefined), 'invalidTitle'],
    ['with a title that is no text', title(5), 'invalidTitle'],
    ['with a title of 101 characters', title('é'.repeat(101)), 'invalidTitle'],
    ['with <', title('a < b'), 'invalidTitle'],
    ['with >', title('a > b'), 'invalidTitle'],
    ['with a description of 5001 bytes', metadata({ description: `${'é'.repeat(2_500)}a` }), 'invalidDescription'],
    ['with a description in brackets', metadata({ description: '<3' }), 'invalidDescription'],
    ['with tags of 501 characters', metadata({ tags: ['x'.repeat(250), 'y'.repeat(250)] }), 'invalidTags'],
    ['with a tag that is no text', metadata({ tags: [5] }), 'invalidTags'],
    ['with an unknown category', metadata({ categoryId: 'film' }), 'invalidCategoryId'],
    ['with a category that takes no videos', metadata({ categoryId: '30' }), 'invalidCategoryId'],
    ['with tags of 500 characters and quotation marks', metadata({ tags: [`x ${'y'.repeat(498)}`] }), 'invalidTags'],
    ['with an unknown privacy', metadata({}, { privacyStatus: 'friends' }), 'invalidVideoMetadata'],
    ['with a switch that is none', metadata({}, { selfDeclaredMadeForKids: 'no' }), 'invalidVideoMetadata'],
    ['with an unknown license', metadata({}, { license: 'mine' }), 'invalidVideoMetadata'],
    ['with a time for what is public', metadata({}, { publishAt: '2027-01-01T00:00:00Z' }), 'invalidPublishAt'],
    ['with a time that is none', metadata({}, { privacyStatus: 'private', publishAt: 'soon' }), 'invalidPublishAt'],
    ['with a list', [], 'invalidVideoMetadata'],
    ['with a snippet that is none', { snippet: 'x' }, 'invalidVideoMetadata'],
  ])('%s', async (_what, body, reason) => {
    const { harness, who } = await youtube();
    expect(await start(harness, who, total, { body })).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 400,
          message: expect.any(String),
          errors: [{ domain: 'youtube.video', reason, location: 'body' }],
        },
      },
    });
  });

  test.each([
    ['by another way', { query: 'uploadType=media&part=snippet' }, 'invalidParameter'],
    ['without parts', { query: 'uploadType=resumable' }, 'missingRequiredParameter'],
    ['with an unknown part', { query: 'uploadType=resumable&part=snippet,money' }, 'unexpectedPart'],
    ['with odd notices', { query: 'uploadType=resumable&part=snippet&notifySubscribers=maybe' }, 'invalidParameter'],
    ['without a size', { headers: { 'X-Upload-Content-Length': '' } }, 'mediaBodyRequired'],
    ['of no bytes', { headers: { 'X-Upload-Content-Length': '0' } }, 'mediaBodyRequired'],
    ['of more than 256 GB', { headers: { 'X-Upload-Content-Length': '274877906945' } }, 'mediaBodyRequired'],
    ['of an image', { headers: { 'X-Upload-Content-Type': 'image/jpeg' } }, 'mediaBodyRequired'],
    ['in a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 'badRequest'],
  ])('%s', async (_what, asked, reason) => {
    const { harness, who } = await youtube();
    expect(await start(harness, who, total, asked)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ reason }] } },
    });
  });

  test('with what is no JSON', async () => {
    const { harness, who } = await youtube();
    const headers = {
      'Content-Type': 'application/json',
      'X-Upload-Content-Type': 'video/mp4',
      'X-Upload-Content-Length': '5',
    };
    expect(
      await harness.ask('POST', `${UPLOAD_URL}?uploadType=resumable&part=snippet`, {
        token: who.token,
        raw: '{',
        headers,
      }),
    ).toMatchObject({ status: 400, body: { error: { errors: [{ reason: 'parseError' }] } } });
  });

  test('but just within the limits it is', async () => {
    const { harness, who } = await youtube();
    const snippet = {
      title: '👋'.repeat(100),
      description: 'é'.repeat(2_500),
      tags: ['x'.repeat(249), 'y'.repeat(250)],
    };
    await uploaded(harness, who, 'film', metadata(snippet, { privacyStatus: 'unlisted' }));
    expect(await live(harness)).toEqual([expect.objectContaining({ title: snippet.title, text: snippet.description })]);
    expect(
      (await start(harness, who, 5, { headers: { 'X-Upload-Content-Type': 'application/octet-stream' } })).status,
    ).toBe(200);
  });
});

test('the video of one channel is begun by no other’s token', async () => {
  const { harness } = await youtube();
  expect(await start(harness, { token: 'dead' }, total)).toMatchObject({
    status: 401,
    body: { error: { errors: [{ reason: 'authError' }] } },
  });
  expect((await start(harness, await signInYoutube(harness), total)).status).toBe(200);
});
