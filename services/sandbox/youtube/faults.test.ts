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
    const { harness, who } = await youtube();
    await fault(harness, name, more);
    expect(await start(harness, who, total)).toMatchObject({
      status,
      body: { error: { code: status, errors: [{ reason }] } },
    });
    expect((await start(harness, await again(harness, who), total)).status).toBe(200);
    expect([await live(harness), await faultsLeft(harness)]).toEqual([[], []]);
  });

  test.each(['videos.list', 'channels.list', 'playlistItems.list', 'reports.query'])(
    'token_revoked and quota_exhausted at %s',
    async (call) => {
      const { harness, who } = await youtube();
      const ask = () => {
        if (call === 'reports.query') return report(harness, who, {});
        if (call === 'playlistItems.list') return uploads(harness, who);
        return call === 'videos.list'
          ? get(harness, who, 'videos', { part: 'status', id: 'x' })
          : get(harness, who, 'channels', { part: 'snippet', mine: 'true' });
      };
      await fault(harness, 'quota_exhausted', { call });
      await fault(harness, 'token_revoked', { call });
      expect([(await ask()).body.error.errors[0].reason, (await ask()).status, (await ask()).status]).toEqual([
        'quotaExceeded',
        401,
        401,
      ]);
      expect((await start(harness, who, total)).status).toBe(401);
    },
  );
});

describe('the last byte is the one after which a video may be public', () => {
  test.each([
    ['drop_after_commit', { cut: 'after' }],
    ['5xx_after_commit', { status: 500 }],
  ])('%s: it is public, and the address says which video it is', async (name, outcome) => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    await fault(harness, name);
    expect(await harness.outcome('PUT', url, { raw: bytes })).toMatchObject(outcome);
    const [item] = await live(harness);
    expect(await question(harness, url, total)).toMatchObject({ status: 200, body: { id: item.remoteId } });
    expect((await put(harness, url, bytes)).body.id).toBe(item.remoteId);
    expect((await live(harness)).length).toBe(1);
  });

  test.each([
    ['drop_before_commit', { cut: 'before' }],
    ['5xx_before_commit', { status: 503 }],
  ])('%s: it is not public, and the address accepts it again', async (name, outcome) => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    await fault(harness, name);
    expect(await harness.outcome('PUT', url, { raw: bytes })).toMatchObject(outcome);
    expect(await question(harness, url, total)).toMatchObject({ status: 308 });
    expect((await put(harness, url, bytes)).status).toBe(201);
    expect((await live(harness)).length).toBe(1);
  });
});

describe('yt_session_gone', () => {
  test.each([
    [{}, 410],
    [{ reason: '404' }, 404],
  ])('%j: at the last byte nothing was made, and the address stays gone', async (more, status) => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    await fault(harness, 'yt_session_gone', more);
    expect([
      (await put(harness, url, bytes)).status,
      (await question(harness, url, total)).status,
      (await put(harness, url, bytes)).status,
    ]).toEqual([status, status, status]);
    expect(await live(harness)).toEqual([]);
    await uploaded(harness, who);
  });

  test('after the end the video exists, and only the list finds it', async () => {
    const { harness, who } = await youtube();
    const url = await begin(harness, who, total);
    await fault(harness, 'drop_after_commit');
    await fault(harness, 'yt_session_gone', { call: 'videos.upload_status' });
    await harness.outcome('PUT', url, { raw: bytes });
    expect([(await question(harness, url, total)).status, (await question(harness, url, total)).status]).toEqual([
      410, 410,
    ]);
    await harness.clock.advance(PROCESSED_MS);
    expect((await uploads(harness, who)).body.items).toEqual([
      expect.objectContaining({
        contentDetails: expect.objectContaining({ videoId: (await live(harness))[0].remoteId }),
      }),
    ]);
  });

  test('can come in the middle', async () => {
    const { harness, who } = await youtube();
    const large = Buffer.alloc(600_000, 7);
    const url = await begin(harness, who, large.length);
    await fault(harness, 'yt_session_gone', { call: 'videos.upload_part' });
    expect((await chunk(harness, url, large, 0, 262_144)).status).toBe(410);
    expect((await put(harness, url, large)).status).toBe(410);
  });
});

describe('processing_failed', () => {
  test.each([...FAILURES, ...REJECTIONS.map((reason) => REJECTED + reason)])(
    'for the reason %s, the first when none is given',
    async (reason) => {
      const { harness, who } = await youtube();
      await fault(harness, 'processing_failed', reason === FAILURES[0] ? {} : { reason });
      const id = await uploaded(harness, who);
      expect((await videoOf(harness, who, id)).status.uploadStatus).toBe('uploaded');
      await harness.clock.advance(PROCESSED_MS);
      const failed = {
        status: { uploadStatus: 'failed', failureReason: reason },
        processingDetails: { processingStatus: 'failed' },
      };
      const rejected = {
        status: { uploadStatus: 'rejected', rejectionReason: reason.replace(REJECTED, '') },
        processingDetails: { processingStatus: 'terminated' },
      };
      expect(await videoOf(harness, who, id)).toMatchObject(FAILURES.includes(reason) ? failed : rejected);
      expect([await live(harness), await faultsLeft(harness)]).toEqual([[], []]);
    },
  );

  test('set at the start of an upload waits for its end, like duplicate', async () => {
    const { harness, who } = await youtube();
    for (const [name, reason] of [
      ['processing_failed', 'copyright'],
      ['duplicate', 'duplicate'],
    ] as const) {
      await fault(harness, name, {
        call: 'videos.insert',
        ...(name === 'duplicate' ? {} : { reason: REJECTED + reason }),
      });
      const [bad, good] = [await uploaded(harness, who), await uploaded(harness, who)];
      await harness.clock.advance(PROCESSED_MS);
      expect((await videoOf(harness, who, bad)).status).toMatchObject({
        uploadStatus: 'rejected',
        rejectionReason: reason,
      });
      expect((await videoOf(harness, who, good)).status).toMatchObject({ uploadStatus: 'processed' });
    }
  });
});

test('processing_stuck: the video exists, and is never processed', async () => {
  const { harness, who } = await youtube();
  await fault(harness, 'processing_stuck');
  const id = await uploaded(harness, who);
  await harness.clock.advance(2 * DAY_MS);
  expect(await videoOf(harness, await again(harness, who), id)).toMatchObject({
    status: { uploadStatus: 'uploaded' },
    processingDetails: { processingStatus: 'processing' },
  });
  expect((await live(harness)).length).toBe(1);
});

test('permalink_missing: an existing video is not found yet', async () => {
  const { harness, who } = await youtube();
  const id = await uploaded(harness, who);
  await fault(harness, 'permalink_missing');
  expect(await get(harness, who, 'videos', { part: 'status', id })).toMatchObject({
    status: 404,
    body: { error: { errors: [{ reason: 'videoNotFound' }] } },
  });
  expect((await videoOf(harness, who, id)).status.uploadStatus).toBe('uploaded');
});

test.each([
  [{ fault: 'token_revoked', call: 'videos.upload' }],
  [{ fault: 'processing_failed', reason: 'bored' }],
  [{ fault: 'yt_session_gone', call: 'videos.insert' }],
  [{ fault: 'media_fetch_blocked' }],
  [{ fault: 'tiktok_no_post_id' }],
])('%j can not be played', async (wrong) => {
  const { harness } = await youtube();
  expect((await harness.ask('POST', '/sandbox/faults', { json: { network: 'youtube', ...wrong } })).status).toBe(400);
});
