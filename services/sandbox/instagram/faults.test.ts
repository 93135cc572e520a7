import { expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { setFault, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import {
  create,
  fileUrl,
  instagram,
  live,
  photo,
  publish,
  read,
  ready,
  signInInstagram,
  statusOf,
} from './instagram.fixture.ts';

const reel = { media_type: 'REELS', video_url: fileUrl('reel') };
const fault = (harness: SandboxHarness, name: string, more: object = {}) =>
  setFault(harness, { network: 'instagram', fault: name, ...more });
const noFaultsLeft = async (harness: SandboxHarness) =>
  expect((await harness.ask('GET', '/sandbox/faults')).body.faults).toEqual([]);

async function withContainer(): Promise<{
  readonly harness: SandboxHarness;
  readonly who: SignedIn;
  readonly id: string;
}> {
  const { harness, who } = await instagram();
  return { harness, who, id: await ready(harness, who, photo()) };
}

test.each([
  ['account_restricted', {}, 400, { code: 4, error_subcode: 2_207_051 }],
  ['account_restricted', { reason: 'spam' }, 400, { code: 4, error_subcode: 2_207_051 }],
  ['account_restricted', { reason: 'inactive' }, 400, { code: 25, error_subcode: 2_207_050 }],
  [
    'account_restricted',
    { reason: 'authorization' },
    400,
    { code: 200, message: expect.stringContaining('Page Publishing Authorization') },
  ],
  ['rate_limited', {}, 400, { code: 80_002 }],
  ['quota_exhausted', {}, 400, { code: 9, error_subcode: 2_207_042 }],
  ['duplicate', {}, 400, { code: 506 }],
  ['token_revoked', {}, 401, { code: 190, error_subcode: 460 }],
  ['scope_removed', {}, 403, { code: 10 }],
  ['5xx_before_commit', {}, 503, { code: 2, is_transient: true }],
])('%s %j is answered to publishing, which publishes nothing', async (name, more, status, error) => {
  const { harness, who, id } = await withContainer();
  await fault(harness, name, more);
  const got = await publish(harness, who, id);
  expect([got.status, got.body.error]).toEqual([status, expect.objectContaining(error)]);
  expect(await live(harness)).toEqual([]);
  const again = await signInInstagram(harness, { account: who.accountId });
  expect(await statusOf(harness, again, id)).toBe('FINISHED');
  expect((await publish(harness, again, id)).status).toBe(200);
  await noFaultsLeft(harness);
});

test.each([
  ['drop_after_commit', { cut: 'after' }, {}],
  ['5xx_after_commit', { status: 500 }, {}],
  ['account_restricted', { status: 400 }, { reason: 'spam_though_done' }],
])(
  '%s: the post is live, its container says so, and sending it again publishes nothing',
  async (name, outcome, more) => {
    const { harness, who, id } = await withContainer();
    await fault(harness, name, more);
    expect(
      await harness.outcome('POST', `/sim/instagram/v25.0/me/media_publish`, {
        token: who.token,
        form: { creation_id: id },
      }),
    ).toMatchObject(outcome);
    expect(await statusOf(harness, who, id)).toBe('PUBLISHED');
    expect((await publish(harness, who, id)).body.error.error_subcode).toBe(2_207_006);
    expect((await live(harness)).length).toBe(1);
  },
);

test('too many calls: the headers say how long to wait, by default an hour made shorter by the timing', async () => {
  const { harness, who, id } = await withContainer();
  const minutes = async () =>
    JSON.parse((await publish(harness, who, id)).headers['x-business-use-case-usage']!)[who.accountId][0];
  await fault(harness, 'rate_limited');
  expect(await minutes()).toMatchObject({ type: 'instagram', call_count: 100, estimated_time_to_regain_access: 1 });
  await fault(harness, 'rate_limited', { delayMs: 600_000 });
  expect((await minutes()).estimated_time_to_regain_access).toBe(10);
});

test('token_revoked and scope_removed last until the person consents again', async () => {
  const { harness, who, id } = await withContainer();
  await fault(harness, 'scope_removed', { call: 'media.create' });
  expect((await create(harness, who, photo())).body.error.code).toBe(10);
  expect((await publish(harness, who, id)).body.error.code).toBe(10);
  const again = await signInInstagram(harness, { account: who.accountId });
  await fault(harness, 'token_revoked', { call: 'containers.read' });
  expect((await read(harness, again, id, 'status')).body.error.code).toBe(190);
  expect((await publish(harness, again, id)).body.error).toMatchObject({ code: 190, error_subcode: 460 });
  expect((await publish(harness, await signInInstagram(harness, { account: who.accountId }), id)).status).toBe(200);
});

test('quota_exhausted at the limit: the account is reported to have none left', async () => {
  const { harness, who } = await instagram();
  await fault(harness, 'quota_exhausted', { call: 'publishing_limit' });
  const limit = async () =>
    (await read(harness, who, `${who.accountId}/content_publishing_limit`, 'quota_usage,config')).body.data[0];
  expect(await limit()).toMatchObject({ quota_usage: 100, config: { quota_total: 100 } });
  expect(await limit()).toMatchObject({ quota_usage: 0 });
});

test('processing_stuck: the container is never ready, and expires', async () => {
  const { harness, who } = await instagram();
  await fault(harness, 'processing_stuck');
  const id = await ready(harness, who, photo());
  await harness.clock.advance(23 * 3_600_000);
  expect(await statusOf(harness, who, id)).toBe('IN_PROGRESS');
  expect((await publish(harness, who, id)).body.error.code).toBe(9_007);
  await harness.clock.advance(3_600_000);
  expect(await statusOf(harness, who, id)).toBe('EXPIRED');
});

test.each(['2207026', '2207053', '2207003', '2207032', '2207001', '2207057', '2207077', '2207081', '2207082'])(
  'processing_failed for the reason %s, the first when none is given',
  async (subcode) => {
    const { harness, who } = await instagram();
    await fault(harness, 'processing_failed', subcode === '2207026' ? {} : { reason: subcode });
    const id = await ready(harness, who, reel);
    expect((await read(harness, who, id, 'status_code,status')).body).toEqual({
      id,
      status_code: 'ERROR',
      status: `Error: Media upload has failed with error code ${subcode}`,
    });
    expect(await statusOf(harness, who, await ready(harness, who, reel))).toBe('FINISHED');
  },
);

test.each([
  ['processing_stuck', 'IN_PROGRESS'],
  ['processing_failed', 'ERROR'],
])('%s can follow an upload', async (name, status) => {
  const { harness, who } = await instagram();
  const { body } = await create(harness, who, { media_type: 'REELS', upload_type: 'resumable' });
  await fault(harness, name, { call: 'media.upload' });
  const { bytes } = MEDIA_FIXTURES.reel;
  await harness.ask('POST', body.uri, {
    raw: bytes,
    token: who.token,
    headers: { offset: '0', file_size: String(bytes.length) },
  });
  await harness.clock.advance(1_000);
  expect(await statusOf(harness, who, body.id)).toBe(status);
});

test.each([
  [{}, 9_004, 2_207_052],
  [{ reason: 'unreachable' }, 9_004, 2_207_052],
  [{ reason: 'slow' }, -2, 2_207_003],
])('media_fetch_blocked %j: the file does not arrive', async (more, code, subcode) => {
  const { harness, who } = await instagram();
  for (const form of [photo(), reel]) {
    await fault(harness, 'media_fetch_blocked', more);
    expect((await create(harness, who, form)).body.error).toMatchObject({ code, error_subcode: subcode });
    expect((await create(harness, who, form)).status).toBe(200);
  }
});

test('container_read_100_33 is answered to reading an existing container', async () => {
  const { harness, who, id } = await withContainer();
  await fault(harness, 'container_read_100_33', { count: 2 });
  for (let i = 0; i < 2; i++)
    expect(await read(harness, who, id, 'status_code')).toMatchObject({
      status: 400,
      body: { error: { code: 100, error_subcode: 33, message: expect.stringContaining(id) } },
    });
  expect(await statusOf(harness, who, id)).toBe('FINISHED');
});

test('permalink_missing leaves the address out, in reads and in lists', async () => {
  const { harness, who, id } = await withContainer();
  const mediaId = (await publish(harness, who, id)).body.id;
  const story = (
    await publish(harness, who, await ready(harness, who, { media_type: 'STORIES', image_url: fileUrl('story') }))
  ).body.id;
  await harness.clock.advance(1_000);
  for (const call of ['media.read', 'media.list', 'stories.list']) await fault(harness, 'permalink_missing', { call });
  expect((await read(harness, who, mediaId, 'id,permalink')).body).toEqual({ id: mediaId });
  expect((await read(harness, who, mediaId, 'id,permalink')).body.permalink).toContain('/p/');
  expect((await read(harness, who, `${who.accountId}/media`, 'id,permalink')).body.data).toEqual([{ id: mediaId }]);
  expect((await read(harness, who, `${who.accountId}/stories`, 'id,permalink')).body.data).toEqual([{ id: story }]);
  await noFaultsLeft(harness);
});

test.each([
  [{ fault: 'processing_stuck', call: 'media.publish' }],
  [{ fault: 'processing_failed', reason: '1' }],
  [{ fault: 'media_fetch_blocked', reason: 'bored' }],
  [{ fault: 'me_accounts_empty' }],
  [{ fault: 'moderation_hold' }],
])('the fault %j is not one of instagram', async (wrong) => {
  const { harness } = await instagram();
  expect((await harness.ask('POST', '/sandbox/faults', { json: { network: 'instagram', ...wrong } })).status).toBe(400);
});
