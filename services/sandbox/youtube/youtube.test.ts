import { describe, expect, test } from 'vitest';
import { filmOf } from '../instagram/instagram.fixture.ts';
import {
  again,
  begin,
  DAY_MS,
  get,
  HOUR_MS,
  live,
  metadata,
  PROCESSED_MS,
  put,
  setLimits,
  signInYoutube,
  start,
  uploaded,
  uploads,
  videoOf,
  youtube,
} from './youtube.fixture.ts';

describe('a video', () => {
  test('is uploaded, then processed', async () => {
    const { harness, who } = await youtube();
    const id = await uploaded(harness, who);
    const state = async () => {
      const { status, processingDetails } = await videoOf(harness, who, id);
      return [status.uploadStatus, processingDetails.processingStatus];
    };
    await harness.clock.advance(299);
    expect(await state()).toEqual(['uploaded', 'processing']);
    await harness.clock.advance(1);
    expect(await state()).toEqual(['processed', 'succeeded']);
  });

  test('has a page that needs no token', async () => {
    const { harness, who } = await youtube();
    await uploaded(harness, who, 'reel', metadata({ title: 'Seen by all' }));
    const [{ permalink }] = await live(harness);
    expect(await harness.ask('GET', permalink)).toMatchObject({
      status: 200,
      text: expect.stringContaining('What it shows'),
    });
    for (const wrong of [`${permalink}x`, permalink.replace(/\?.*/, '')])
      expect((await harness.ask('GET', wrong)).status).toBe(404);
  });

  test("is read by its parts, many at once; another's and missing ones are left out", async () => {
    const { harness, who } = await youtube();
    const other = await signInYoutube(harness);
    const [first, second, foreign] = [
      await uploaded(harness, who),
      await uploaded(harness, who, 'reel', metadata({ tags: ['a', 'b'] }, { privacyStatus: 'unlisted' })),
      await uploaded(harness, other),
    ];
    const { body } = await get(harness, who, 'videos', {
      part: 'snippet,status',
      id: [second, 'nowhere0000', foreign, first].join(','),
    });
    expect(body).toMatchObject({ kind: 'youtube#videoListResponse', pageInfo: { totalResults: 2 } });
    expect(body.items).toEqual([
      expect.objectContaining({
        id: second,
        snippet: expect.objectContaining({ tags: ['a', 'b'] }),
        status: expect.objectContaining({ privacyStatus: 'unlisted' }),
      }),
      expect.objectContaining({ id: first }),
    ]);
    expect(Object.keys(await videoOf(harness, who, first, 'statistics'))).toEqual(['kind', 'etag', 'id', 'statistics']);
    expect((await get(harness, who, 'videos', { part: 'id', id: 'nowhere0000' })).body.items).toEqual([]);
  });

  test.each([
    [{ id: 'x' }, 'missingRequiredParameter'],
    [{ part: 'snippet' }, 'missingRequiredParameter'],
    [{ part: 'everything', id: 'x' }, 'unknownPart'],
    [{ part: 'snippet', id: Array.from({ length: 51 }, (_, each) => `v${each}`).join(',') }, 'invalidParameter'],
  ])('is not read by %j', async (query, reason) => {
    const { harness, who } = await youtube();
    expect(await get(harness, who, 'videos', query)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ reason }] } },
    });
  });

  test.each([
    ['no film', Buffer.from('no film at all'), { uploadStatus: 'failed', failureReason: 'invalidFile' }],
    ['too long', filmOf(15 * 60_000 + 1, 1_280, 720), { uploadStatus: 'rejected', rejectionReason: 'length' }],
  ])('that is %s exists, and is never live', async (_what, file, status) => {
    const { harness, who } = await youtube();
    const { body } = await put(harness, await begin(harness, who, file.length), file);
    expect(body.status).toMatchObject({ uploadStatus: 'uploaded' });
    await harness.clock.advance(PROCESSED_MS);
    expect((await videoOf(harness, who, body.id)).status).toMatchObject(status);
    expect([await live(harness), (await uploads(harness, who)).body.items]).toEqual([[], []]);
  });
});

describe('the uploads of a channel', () => {
  test('are listed after a while, newest first, by pages', async () => {
    const { harness, who } = await youtube();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift(await uploaded(harness, who, 'film', metadata({ title: `Film ${count}` })));
      await harness.clock.advance(10);
    }
    const listed = async (more: Readonly<Record<string, string>> = {}) => (await uploads(harness, who, more)).body;
    expect((await listed()).items.map((item: any) => item.contentDetails.videoId)).toEqual(ids.slice(2));
    await harness.clock.advance(30);
    const { items, nextPageToken } = await listed({ maxResults: '2' });
    expect(items[0]).toEqual({
      ...{ kind: 'youtube#playlistItem', etag: expect.any(String), id: expect.any(String) },
      snippet: {
        ...{
          publishedAt: '2026-11-20T12:00:00.040Z',
          channelId: who.accountId,
          title: 'Film 4',
          description: 'What it shows',
          playlistId: `UU${who.accountId}`,
        },
        resourceId: { kind: 'youtube#video', videoId: ids[0] },
      },
      contentDetails: { videoId: ids[0], videoPublishedAt: '2026-11-20T12:00:00.040Z' },
    });
    const next = await listed({ maxResults: '50', pageToken: nextPageToken });
    expect([...items, ...next.items].map((item: any) => item.contentDetails.videoId)).toEqual(ids);
    expect(next.nextPageToken).toBeUndefined();
  });

  test('of others, and by what is no number, are not listed', async () => {
    const { harness, who } = await youtube();
    const other = await signInYoutube(harness);
    expect(await uploads(harness, who, { playlistId: `UU${other.accountId}` })).toMatchObject({
      status: 404,
      body: { error: { errors: [{ reason: 'playlistNotFound' }] } },
    });
    for (const more of [{ maxResults: '51' }, { maxResults: '-1' }, { maxResults: 'x' }])
      expect(await uploads(harness, who, more)).toMatchObject({
        status: 400,
        body: { error: { errors: [{ reason: 'invalidParameter' }] } },
      });
    expect((await get(harness, who, 'playlistItems', { part: 'snippet' })).body.error.errors[0].reason).toBe(
      'missingRequiredParameter',
    );
  });
});

describe('in a day, which ends at midnight in California,', () => {
  /** The harness begins at noon in Greenwich, four in the morning there. */
  const UNTIL_MIDNIGHT = 20 * HOUR_MS;

  test('a project begins 100 uploads, of whatever channels', async () => {
    const { harness, who } = await youtube();
    const other = await signInYoutube(harness);
    for (let count = 0; count < 100; count++)
      expect((await start(harness, count % 2 === 0 ? who : other, 1_000)).status).toBe(200);
    const refused = {
      status: 403,
      body: {
        error: {
          code: 403,
          message: expect.stringContaining('exceeded your <a href'),
          errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }],
        },
      },
    };
    for (const one of [who, other]) expect(await start(harness, one, 1_000)).toMatchObject(refused);
    expect((await get(harness, who, 'channels', { part: 'snippet', mine: 'true' })).status).toBe(200);
    await harness.clock.advance(UNTIL_MIDNIGHT - 1);
    expect(await start(harness, await again(harness, who), 1_000)).toMatchObject(refused);
    await harness.clock.advance(1);
    expect((await start(harness, await again(harness, who), 1_000)).status).toBe(200);
  });

  test('a channel can upload a limited number of videos', async () => {
    const { harness, who } = await youtube();
    await setLimits(harness, { uploadsPerChannel: 2 });
    await start(harness, who, 1_000);
    for (let count = 0; count < 2; count++) await uploaded(harness, who);
    expect(await start(harness, who, 1_000)).toMatchObject({
      status: 400,
      body: {
        error: {
          errors: [
            {
              message: 'The user has exceeded the number of videos they may upload.',
              domain: 'youtube.video',
              reason: 'uploadLimitExceeded',
              location: 'body',
              locationType: 'other',
            },
          ],
        },
      },
    });
    expect((await start(harness, await signInYoutube(harness), 1_000)).status).toBe(200);
    await harness.clock.advance(DAY_MS);
    expect((await start(harness, await again(harness, who), 1_000)).status).toBe(200);
  });

  test('refused uploads do not count', async () => {
    const { harness, who } = await youtube();
    await setLimits(harness, { insertsPerDay: 1 });
    await start(harness, who, 1_000, { body: metadata({ title: '' }) });
    expect((await start(harness, who, 1_000)).status).toBe(200);
    expect((await start(harness, who, 1_000)).status).toBe(403);
  });
});
