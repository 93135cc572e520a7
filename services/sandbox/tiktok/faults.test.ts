import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import {
  announced,
  begin,
  call,
  fault,
  faultsLeft,
  fileUrl,
  list,
  live,
  photoInit,
  postIdsOf,
  PROCESSED_MS,
  published,
  put,
  signInTiktok,
  statusOf,
  tiktok,
  videoInit,
} from './tiktok.fixture.ts';
import { FAIL_REASONS } from './faults.ts';

const { bytes } = MEDIA_FIXTURES.reel;
const HOUR_MS = 3_600_000;
const photos = photoInit([fileUrl('photo'), fileUrl('square')]);

describe('a call is refused', () => {
  test.each([
    ['token_revoked', {}, 401, 'access_token_invalid'],
    ['scope_removed', {}, 401, 'scope_not_authorized'],
    ['account_restricted', {}, 403, 'spam_risk_user_banned_from_posting'],
    ['account_restricted', { reason: 'unaudited' }, 403, 'unaudited_client_can_only_post_to_private_accounts'],
    ['account_restricted', { reason: 'privacy' }, 403, 'privacy_level_option_mismatch'],
    ['account_restricted', { reason: 'app_version' }, 400, 'app_version_check_failed'],
    ['rate_limited', {}, 429, 'rate_limit_exceeded'],
    ['quota_exhausted', {}, 403, 'spam_risk_too_many_posts'],
    ['quota_exhausted', { reason: 'pending_shares' }, 403, 'spam_risk_too_many_pending_share'],
    ['quota_exhausted', { reason: 'active_users' }, 403, 'reached_active_user_cap'],
    ['5xx_before_commit', {}, 500, 'internal_error'],
  ])('%s %j at the init of photos, of a video and at creator_info', async (name, more, status, code) => {
    const { harness, who } = await tiktok();
    for (const [at, path, body] of [
      ['content.init', 'content/init', photos],
      ['video.init', 'video/init', videoInit(announced(1_000))],
      ['creator_info', 'creator_info/query', {}],
    ] as const) {
      const again = await signInTiktok(harness, { account: who.accountId });
      await fault(harness, name, { call: at, ...more });
      expect(await call(harness, again, path, body)).toMatchObject({ status, body: { data: {}, error: { code } } });
    }
    expect([await live(harness), await faultsLeft(harness)]).toEqual([[], []]);
  });

  test('token_revoked and scope_removed last until the person consents again', async () => {
    const { harness, who } = await tiktok();
    const code = async (one: typeof who) => (await call(harness, one, 'creator_info/query')).body.error.code;
    await fault(harness, 'scope_removed', { call: 'status.fetch' });
    await call(harness, who, 'status/fetch', { publish_id: 'x' });
    expect(await code(who)).toBe('scope_not_authorized');
    const again = await signInTiktok(harness, { account: who.accountId });
    expect(await code(again)).toBe('ok');
    await fault(harness, 'token_revoked', { call: 'user.info' });
    await harness.ask('GET', '/sim/tiktok/v2/user/info/?fields=username', { token: again.token });
    expect(await code(again)).toBe('access_token_invalid');
  });
});

describe('the last chunk is the one after which it may be public', () => {
  test.each(['drop_after_commit', '5xx_after_commit'])(
    '%s: it is public, and sending it again publishes nothing',
    async (name) => {
      const { harness, who } = await tiktok();
      const { publish_id: id, upload_url: url } = await begin(harness, who);
      await fault(harness, name);
      const headers = { 'Content-Type': 'video/mp4', 'Content-Range': `bytes 0-${bytes.length - 1}/${bytes.length}` };
      expect(await harness.outcome('PUT', url, { raw: bytes, headers })).toMatchObject(
        name === 'drop_after_commit' ? { cut: 'after' } : { status: 500 },
      );
      expect((await put(harness, url, bytes)).status).toBe(416);
      await harness.clock.advance(PROCESSED_MS);
      expect(await statusOf(harness, who, id)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
      expect((await live(harness)).length).toBe(1);
    },
  );

  test.each(['drop_before_commit', '5xx_before_commit'])(
    '%s: it is not public, and the chunk can be sent again',
    async (name) => {
      const { harness, who } = await tiktok();
      const { publish_id: id, upload_url: url } = await begin(harness, who);
      await fault(harness, name);
      const headers = { 'Content-Type': 'video/mp4', 'Content-Range': `bytes 0-${bytes.length - 1}/${bytes.length}` };
      expect(await harness.outcome('PUT', url, { raw: bytes, headers })).toMatchObject(
        name === 'drop_before_commit' ? { cut: 'before' } : { status: 500 },
      );
      expect([await live(harness), await statusOf(harness, who, id)]).toEqual([
        [],
        expect.objectContaining({ status: 'PROCESSING_UPLOAD', uploaded_bytes: 0 }),
      ]);
      expect((await put(harness, url, bytes)).status).toBe(201);
    },
  );

  test('an init of photos whose answer is lost has published', async () => {
    const { harness, who } = await tiktok();
    await fault(harness, 'drop_after_commit', { call: 'content.init' });
    expect(
      await harness.outcome('POST', '/sim/tiktok/v2/post/publish/content/init/', { token: who.token, json: photos }),
    ).toEqual({ cut: 'after' });
    expect((await live(harness)).length).toBe(1);
  });
});

describe('processing_failed', () => {
  test.each(FAIL_REASONS)('for the reason %s, the first when none is given', async (reason) => {
    const { harness, who } = await tiktok();
    const more = reason === FAIL_REASONS[0] ? {} : { reason };
    await fault(harness, 'processing_failed', more);
    await fault(harness, 'processing_failed', { call: 'content.init', ...more });
    const ids = [
      await published(harness, who),
      (await call(harness, who, 'content/init', photos)).body.data.publish_id,
    ];
    for (const id of ids) expect((await statusOf(harness, who, id)).status).toMatch(/^PROCESSING_/);
    await harness.clock.advance(PROCESSED_MS);
    for (const id of ids)
      expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: reason });
    expect([await live(harness), await faultsLeft(harness)]).toEqual([[], []]);
  });

  test('set at the beginning of an upload waits for its end', async () => {
    const { harness, who } = await tiktok();
    await fault(harness, 'processing_failed', { call: 'video.init', reason: 'spam_risk' });
    const [failing, good] = [await published(harness, who), await published(harness, who)];
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, failing)).toMatchObject({ status: 'FAILED', fail_reason: 'spam_risk' });
    expect(await statusOf(harness, who, good)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
  });
});

test('processing_stuck: it never ends, and is never public', async () => {
  const { harness, who } = await tiktok();
  await fault(harness, 'processing_stuck');
  const id = await published(harness, who);
  await harness.clock.advance(20 * HOUR_MS);
  expect(await statusOf(harness, who, id)).toMatchObject({ status: 'PROCESSING_UPLOAD', uploaded_bytes: bytes.length });
  expect(await live(harness)).toEqual([]);
});

test('tiktok_no_post_id: it is public, and its id is never reported', async () => {
  const { harness, who } = await tiktok();
  await fault(harness, 'tiktok_no_post_id');
  const id = await published(harness, who);
  await harness.clock.advance(20 * HOUR_MS);
  expect([(await statusOf(harness, who, id)).status, await postIdsOf(harness, who, id)]).toEqual([
    'PUBLISH_COMPLETE',
    '',
  ]);
  expect((await live(harness)).length).toBe(1);
});

test('moderation_hold: its id is reported after hours, scaled like other waits', async () => {
  const { harness, who } = await tiktok();
  await fault(harness, 'moderation_hold', { call: 'content.init' });
  const id = (await call(harness, who, 'content/init', photos)).body.data.publish_id;
  await harness.clock.advance(60_000);
  expect([(await statusOf(harness, who, id)).status, await postIdsOf(harness, who, id)]).toEqual([
    'PUBLISH_COMPLETE',
    '',
  ]);
  await harness.clock.advance(60_000);
  expect(await postIdsOf(harness, who, id)).toBe((await live(harness))[0].remoteId);
});

test('permalink_missing: one answer is without the id, or the address', async () => {
  const { harness, who } = await tiktok();
  const id = await published(harness, who);
  await harness.clock.advance(PROCESSED_MS);
  await fault(harness, 'permalink_missing');
  expect([await postIdsOf(harness, who, id), await postIdsOf(harness, who, id)]).toEqual([
    '',
    expect.stringMatching(/^\d{19}$/),
  ]);
  await fault(harness, 'permalink_missing', { call: 'video.list' });
  expect((await list(harness, who)).body.data.videos[0].share_url).toBe('');
  expect((await list(harness, who)).body.data.videos[0].share_url).toContain('/@mia/video/');
});

test('media_fetch_blocked: the file does not arrive, or may not be requested', async () => {
  const { harness, who } = await tiktok();
  await fault(harness, 'media_fetch_blocked');
  await fault(harness, 'media_fetch_blocked', { call: 'video.init' });
  const ids = [
    (await call(harness, who, 'content/init', photos)).body.data.publish_id,
    (await call(harness, who, 'video/init', videoInit({ source: 'PULL_FROM_URL', video_url: fileUrl('reel') }))).body
      .data.publish_id,
  ];
  await harness.clock.advance(PROCESSED_MS);
  expect([
    (await statusOf(harness, who, ids[0]!)).fail_reason,
    (await statusOf(harness, who, ids[1]!)).fail_reason,
  ]).toEqual(['photo_pull_failed', 'video_pull_failed']);
  await fault(harness, 'media_fetch_blocked', { reason: 'unverified' });
  expect(await call(harness, who, 'content/init', photos)).toMatchObject({
    status: 403,
    body: { error: { code: 'url_ownership_unverified' } },
  });
  expect([await live(harness), await faultsLeft(harness)]).toEqual([[], []]);
});

test.each([
  [{ fault: 'token_revoked', call: 'video.upload' }],
  [{ fault: 'processing_stuck', call: 'status.fetch' }],
  [{ fault: 'processing_failed', reason: 'bored' }],
  [{ fault: 'account_restricted', reason: 'bored' }],
  [{ fault: 'duplicate' }],
  [{ fault: 'yt_session_gone' }],
  [{ fault: 'x_no_credits' }],
])('%j can not be played', async (wrong) => {
  const { harness } = await tiktok();
  expect((await harness.ask('POST', '/sandbox/faults', { json: { network: 'tiktok', ...wrong } })).status).toBe(400);
});
