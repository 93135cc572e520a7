import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import {
  again,
  begin,
  chunk,
  DAY_MS,
  fault,
  faultsLeft,
  get,
  live,
  PROCESSED_MS,
  put,
  question,
  report,
  start,
  uploaded,
  uploads,
  videoOf,
  youtube,
} from './youtube.fixture.ts';
import { FAILURES, REJECTED, REJECTIONS } from './videos.ts';

const { bytes } = MEDIA_FIXTURES.film;
const total = bytes.length;

describe('a call is refused', () => {
  test.each([
    ['token_revoked', {}, 401, 'authError'],
    ['scope_removed', {}, 403, 'insufficientPermissions'],
    ['account_restricted', {}, 403, 'authenticatedUserAccountSuspended'],
    ['account_restricted', { reason: 'closed' }, 403, 'authenticatedUserAccountClosed'],
    ['account_restricted', { reason: 'signup' }, 401, 'youtubeSignupRequired'],
    ['account_restricted', { reason: 'forbidden' }, 403, 'forbidden'],
    ['account_restricted', { reason: 'privacy' }, 403, 'forbiddenPrivacySetting'],
    ['account_restricted', { reason: 'license' }, 403, 'forbiddenLicenseSetting'],
    ['account_restricted', { reason: 'not_enabled' }, 403, 'accessNotConfigured'],
    ['rate_limited', {}, 403, 'rateLimitExceeded'],
    ['rate_limited', { reason: 'user' }, 403, 'userRateLimitExceeded'],
    ['rate_limited', { reason: 'too_many' }, 429, 'rateLimitExceeded'],
    ['quota_exhausted', {}, 403, 'quotaExceeded'],
    ['quota_exhausted', { reason: 'channel' }, 400, 'uploadLimitExceeded'],
    ['quota_exhausted', { reason: 'daily' }, 403, 'dailyLimitExceeded'],
    ['5xx_before_commit', { call: 'videos.insert' }, 503, 'backendError'],
    ['5xx_after_commit', { call: 'videos.insert' }, 500, 'internalError'],
  ])('%s %j at the start of an upload, and no more after a new consent', async (name, more, status, reason) => {
    const { bench, who } = await youtube();
    await fault(bench, name, more);
    expect(await start(bench, who, total)).toMatchObject({
      status,
      body: { error: { code: status, errors: [{ reason }] } },
    });
    expect((await start(bench, await again(bench, who), total)).status).toBe(200);
    expect([await live(bench), await faultsLeft(bench)]).toEqual([[], []]);
  });

  test.each(['videos.list', 'channels.list', 'playlistItems.list', 'reports.query'])(
    'token_revoked and quota_exhausted at %s',
    async (call) => {
      const { bench, who } = await youtube();
      const ask = () => {
        if (call === 'reports.query') return report(bench, who, {});
        if (call === 'playlistItems.list') return uploads(bench, who);
        return call === 'videos.list'
          ? get(bench, who, 'videos', { part: 'status', id: 'x' })
          : get(bench, who, 'channels', { part: 'snippet', mine: 'true' });
      };
      await fault(bench, 'quota_exhausted', { call });
      await fault(bench, 'token_revoked', { call });
      expect([(await ask()).body.error.errors[0].reason, (await ask()).status, (await ask()).status]).toEqual([
        'quotaExceeded',
        401,
        401,
      ]);
      expect((await start(bench, who, total)).status).toBe(401);
    },
  );
});

describe('the last byte is the one after which a video may be public', () => {
  test.each([
    ['drop_after_commit', { cut: 'after' }],
    ['5xx_after_commit', { status: 500 }],
  ])('%s: it is public, and the address says which video it is', async (name, outcome) => {
    const { bench, who } = await youtube();
    const url = await begin(bench, who, total);
    await fault(bench, name);
    expect(await bench.outcome('PUT', url, { raw: bytes })).toMatchObject(outcome);
    const [item] = await live(bench);
    expect(await question(bench, url, total)).toMatchObject({ status: 200, body: { id: item.remoteId } });
    expect((await put(bench, url, bytes)).body.id).toBe(item.remoteId);
    expect((await live(bench)).length).toBe(1);
  });

  test.each([
    ['drop_before_commit', { cut: 'before' }],
    ['5xx_before_commit', { status: 503 }],
  ])('%s: it is not public, and the address accepts it again', async (name, outcome) => {
    const { bench, who } = await youtube();
    const url = await begin(bench, who, total);
    await fault(bench, name);
    expect(await bench.outcome('PUT', url, { raw: bytes })).toMatchObject(outcome);
    expect(await question(bench, url, total)).toMatchObject({ status: 308 });
    expect((await put(bench, url, bytes)).status).toBe(201);
    expect((await live(bench)).length).toBe(1);
  });
});

describe('yt_session_gone', () => {
  test.each([
    [{}, 410],
    [{ reason: '404' }, 404],
  ])('%j: at the last byte nothing was made, and the address stays gone', async (more, status) => {
    const { bench, who } = await youtube();
    const url = await begin(bench, who, total);
    await fault(bench, 'yt_session_gone', more);
    expect([
      (await put(bench, url, bytes)).status,
      (await question(bench, url, total)).status,
      (await put(bench, url, bytes)).status,
    ]).toEqual([status, status, status]);
    expect(await live(bench)).toEqual([]);
    await uploaded(bench, who);
  });

  test('after the end the video exists, and only the list finds it', async () => {
    const { bench, who } = await youtube();
    const url = await begin(bench, who, total);
    await fault(bench, 'drop_after_commit');
    await fault(bench, 'yt_session_gone', { call: 'videos.upload_status' });
    await bench.outcome('PUT', url, { raw: bytes });
    expect([(await question(bench, url, total)).status, (await question(bench, url, total)).status]).toEqual([
      410, 410,
    ]);
    await bench.clock.advance(PROCESSED_MS);
    expect((await uploads(bench, who)).body.items).toEqual([
      expect.objectContaining({
        contentDetails: expect.objectContaining({ videoId: (await live(bench))[0].remoteId }),
      }),
    ]);
  });

  test('can come in the middle', async () => {
    const { bench, who } = await youtube();
    const large = Buffer.alloc(600_000, 7);
    const url = await begin(bench, who, large.length);
    await fault(bench, 'yt_session_gone', { call: 'videos.upload_part' });
    expect((await chunk(bench, url, large, 0, 262_144)).status).toBe(410);
    expect((await put(bench, url, large)).status).toBe(410);
  });
});

describe('processing_failed', () => {
  test.each([...FAILURES, ...REJECTIONS.map((reason) => REJECTED + reason)])(
    'for the reason %s, the first when none is given',
    async (reason) => {
      const { bench, who } = await youtube();
      await fault(bench, 'processing_failed', reason === FAILURES[0] ? {} : { reason });
      const id = await uploaded(bench, who);
      expect((await videoOf(bench, who, id)).status.uploadStatus).toBe('uploaded');
      await bench.clock.advance(PROCESSED_MS);
      const failed = {
        status: { uploadStatus: 'failed', failureReason: reason },
        processingDetails: { processingStatus: 'failed' },
      };
      const rejected = {
        status: { uploadStatus: 'rejected', rejectionReason: reason.replace(REJECTED, '') },
        processingDetails: { processingStatus: 'terminated' },
      };
      expect(await videoOf(bench, who, id)).toMatchObject(FAILURES.includes(reason) ? failed : rejected);
      expect([await live(bench), await faultsLeft(bench)]).toEqual([[], []]);
    },
  );

  test('set at the start of an upload waits for its end, like duplicate', async () => {
    const { bench, who } = await youtube();
    for (const [name, reason] of [
      ['processing_failed', 'copyright'],
      ['duplicate', 'duplicate'],
    ] as const) {
      await fault(bench, name, {
        call: 'videos.insert',
        ...(name === 'duplicate' ? {} : { reason: REJECTED + reason }),
      });
      const [bad, good] = [await uploaded(bench, who), await uploaded(bench, who)];
      await bench.clock.advance(PROCESSED_MS);
      expect((await videoOf(bench, who, bad)).status).toMatchObject({
        uploadStatus: 'rejected',
        rejectionReason: reason,
      });
      expect((await videoOf(bench, who, good)).status).toMatchObject({ uploadStatus: 'processed' });
    }
  });
});

test('processing_stuck: the video exists, and is never processed', async () => {
  const { bench, who } = await youtube();
  await fault(bench, 'processing_stuck');
  const id = await uploaded(bench, who);
  await bench.clock.advance(2 * DAY_MS);
  expect(await videoOf(bench, await again(bench, who), id)).toMatchObject({
    status: { uploadStatus: 'uploaded' },
    processingDetails: { processingStatus: 'processing' },
  });
  expect((await live(bench)).length).toBe(1);
});

test('permalink_missing: an existing video is not found yet', async () => {
  const { bench, who } = await youtube();
  const id = await uploaded(bench, who);
  await fault(bench, 'permalink_missing');
  expect(await get(bench, who, 'videos', { part: 'status', id })).toMatchObject({
    status: 404,
    body: { error: { errors: [{ reason: 'videoNotFound' }] } },
  });
  expect((await videoOf(bench, who, id)).status.uploadStatus).toBe('uploaded');
});

test.each([
  [{ fault: 'token_revoked', call: 'videos.upload' }],
  [{ fault: 'processing_failed', reason: 'bored' }],
  [{ fault: 'yt_session_gone', call: 'videos.insert' }],
  [{ fault: 'media_fetch_blocked' }],
  [{ fault: 'tiktok_no_post_id' }],
])('%j can not be played', async (wrong) => {
  const { bench } = await youtube();
  expect((await bench.ask('POST', '/sandbox/faults', { json: { network: 'youtube', ...wrong } })).status).toBe(400);
});
