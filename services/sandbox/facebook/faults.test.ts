import { expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { setFault, type SandboxHarness } from '../sandbox.fixture.ts';
import {
  API,
  draft,
  facebook,
  fileUrl,
  finish,
  finishUpload,
  get,
  live,
  partsOf,
  photo,
  post,
  PROCESSED_MS,
  publish,
  read,
  send,
  sent,
  signInPage,
  startSession,
  startUpload,
  transfer,
  uploaded,
  type Edge,
  type OwnPage,
} from './facebook.fixture.ts';

const REEL = MEDIA_FIXTURES.reel.bytes;
const FILM = MEDIA_FIXTURES.film.bytes;
const fault = (harness: SandboxHarness, name: string, more: object = {}) =>
  setFault(harness, { network: 'facebook', fault: name, ...more });
const noFaultsLeft = async (harness: SandboxHarness) =>
  expect((await harness.ask('GET', '/sandbox/faults')).body.faults).toEqual([]);
const statusOf = async (harness: SandboxHarness, page: OwnPage, videoId: string) =>
  (await read(harness, page, videoId, 'status')).body.status;

test.each([
  ['account_restricted', {}, 400, { code: 368, error_subcode: 1_404_112 }],
  ['account_restricted', { reason: 'limited' }, 400, { code: 368, error_subcode: 1_404_112 }],
  ['account_restricted', { reason: 'abusive' }, 400, { code: 368, error_subcode: 1_346_003 }],
  ['account_restricted', { reason: 'standards' }, 400, { code: 368, error_subcode: 1_404_102 }],
  ['account_restricted', { reason: 'blocked' }, 400, { code: 368 }],
  ['account_restricted', { reason: 'checkpoint' }, 400, { code: 190, error_subcode: 1_404_006 }],
  ['account_restricted', { reason: 'identity' }, 400, { code: 190, error_subcode: 4_854_002 }],
  ['account_restricted', { reason: 'authorization' }, 400, { code: 200, error_subcode: 1_404_078 }],
  ['account_restricted', { reason: 'capability' }, 400, { code: 3 }],
  ['rate_limited', {}, 400, { code: 32, message: '(#32) Page request limit reached' }],
  [
    'rate_limited',
    { reason: '4' },
    400,
    { code: 4, is_transient: true, message: '(#4) Application request limit reached' },
  ],
  ['rate_limited', { reason: '17' }, 400, { code: 17 }],
  ['rate_limited', { reason: '341' }, 400, { code: 341 }],
  ['rate_limited', { reason: '613' }, 400, { code: 613 }],
  ['rate_limited', { reason: '80001' }, 400, { code: 80_001 }],
  ['rate_limited', { reason: '1390008' }, 400, { code: 368, error_subcode: 1_390_008 }],
  ['quota_exhausted', { call: 'posts.publish' }, 400, { code: 613 }],
  ['duplicate', {}, 400, { code: 506 }],
  ['token_revoked', {}, 401, { code: 190, error_subcode: 458 }],
  ['token_revoked', { reason: '459' }, 401, { code: 190, error_subcode: 459 }],
  [
    'token_revoked',
    { reason: '460' },
    401,
    { code: 190, error_subcode: 460, message: expect.stringContaining('changed their password') },
  ],
  ['token_revoked', { reason: '463' }, 401, { code: 190, error_subcode: 463 }],
  ['token_revoked', { reason: '464' }, 401, { code: 190, error_subcode: 464 }],
  ['token_revoked', { reason: '467' }, 401, { code: 190, error_subcode: 467 }],
  ['token_revoked', { reason: '492' }, 401, { code: 190, error_subcode: 492 }],
  ['token_revoked', { reason: '102' }, 401, { code: 102 }],
  ['scope_removed', {}, 403, { code: 200, message: expect.stringContaining('(#200)') }],
  ['5xx_before_commit', {}, 503, { code: 2, is_transient: true }],
])('%s %j is answered to publishing, which publishes nothing', async (name, more, status, error) => {
  const { harness, page } = await facebook();
  const id = await draft(harness, page, 'Once');
  await fault(harness, name, more);
  const got = await publish(harness, page, id);
  expect([got.status, got.body.error]).toEqual([status, expect.objectContaining({ type: 'OAuthException', ...error })]);
  expect(await live(harness)).toEqual([]);
  const again = await signInPage(harness, { account: page.pageId });
  expect((await read(harness, again, id, 'is_published')).body.is_published).toBe(false);
  expect((await publish(harness, again, id)).status).toBe(200);
  expect((await live(harness)).length).toBe(1);
  await noFaultsLeft(harness);
});

test.each([
  ['drop_after_commit', { cut: 'after' }],
  ['5xx_after_commit', { status: 500 }],
])('%s: the post is live, and publishing it again changes nothing', async (name, outcome) => {
  const { harness, page } = await facebook();
  const id = await draft(harness, page, 'Once');
  await fault(harness, name);
  expect(
    await harness.outcome('POST', `${API}/${id}`, { token: page.token, json: { is_published: true } }),
  ).toMatchObject(outcome);
  expect((await read(harness, page, id, 'is_published')).body.is_published).toBe(true);
  expect((await publish(harness, page, id)).body).toEqual({ success: true });
  expect((await live(harness)).length).toBe(1);
});

test('a lost answer of the one-call way: sending again makes a second post, as at the real Facebook', async () => {
  const { harness, page } = await facebook();
  await fault(harness, 'drop_after_commit', { call: 'feed.create' });
  expect(
    await harness.outcome('POST', `${API}/${page.pageId}/feed`, { token: page.token, form: { message: 'a' } }),
  ).toEqual({ cut: 'after' });
  await post(harness, page, 'feed', { form: { message: 'a' } });
  expect((await live(harness)).length).toBe(2);
});

const ONE_CALL: readonly (readonly [
  string,
  (harness: SandboxHarness, page: OwnPage) => Promise<{ readonly status: number }>,
])[] = [
  ['feed.create', (harness, page) => post(harness, page, 'feed', { form: { message: 'a' } })],
  ['photos.create', (harness, page) => post(harness, page, 'photos', { form: { url: fileUrl('photo') } })],
  ['videos.create', (harness, page) => post(harness, page, 'videos', { form: { file_url: fileUrl('film') } })],
  ['videos.finish', async (harness, page) => finish(harness, page, await uploaded(harness, page))],
  [
    'video_reels.finish',
    async (harness, page) => finishUpload(harness, page, 'video_reels', await sent(harness, page, 'video_reels')),
  ],
  [
    'video_stories.finish',
    async (harness, page) => finishUpload(harness, page, 'video_stories', await sent(harness, page, 'video_stories')),
  ],
  [
    'photo_stories.create',
    async (harness, page) =>
      post(harness, page, 'photo_stories', { form: { photo_id: await photo(harness, page, 'story') } }),
  ],
];
const REFUSING = [
  'account_restricted',
  'rate_limited',
  'quota_exhausted',
  'duplicate',
  'scope_removed',
  'token_revoked',
  '5xx_before_commit',
];

test.each(ONE_CALL.flatMap(([call, perform]) => REFUSING.map((name) => [call, name, perform] as const)))(
  '%s plays %s, and nothing is live',
  async (call, name, perform) => {
    const { harness, page } = await facebook();
    await fault(harness, name, { call });
    expect((await perform(harness, page)).status).toBeGreaterThanOrEqual(400);
    expect(await live(harness)).toEqual([]);
    expect((await perform(harness, await signInPage(harness, { account: page.pageId }))).status).toBe(200);
    expect((await live(harness)).length).toBe(1);
    await noFaultsLeft(harness);
  },
);

test('too many calls: the headers say how long to wait, by default an hour made shorter by the timing', async () => {
  const { harness, page } = await facebook();
  const id = await draft(harness, page, 'a');
  const minutes = async () =>
    JSON.parse((await publish(harness, page, id)).headers['x-business-use-case-usage']!)[page.pageId][0];
  await fault(harness, 'rate_limited');
  expect(await minutes()).toMatchObject({ type: 'pages', call_count: 100, estimated_time_to_regain_access: 1 });
  await fault(harness, 'rate_limited', { delayMs: 600_000 });
  expect((await minutes()).estimated_time_to_regain_access).toBe(10);
  await fault(harness, 'rate_limited', { reason: '4' });
  expect(JSON.parse((await publish(harness, page, id)).headers['x-app-usage']!)).toMatchObject({ call_count: 100 });
});

test('token_revoked and scope_removed last until the person consents again', async () => {
  const { harness, page } = await facebook();
  await fault(harness, 'scope_removed', { call: 'photos.create' });
  const refused = async (who: OwnPage) =>
    (await post(harness, who, 'feed', { form: { message: 'a' } })).body.error?.code;
  expect((await post(harness, page, 'photos', { form: { url: fileUrl('photo') } })).body.error.code).toBe(200);
  expect(await refused(page)).toBe(200);
  const { data } = (await get(harness, 'me/permissions', {}, { token: page.personToken })).body;
  expect(data.map(({ status }: { readonly status: string }) => status)).toEqual(['declined', 'declined', 'declined']);
  const again = await signInPage(harness, { account: page.pageId });
  await fault(harness, 'token_revoked', { call: 'objects.read' });
  expect((await read(harness, again, '1', 'id')).body.error.code).toBe(190);
  expect(await refused(again)).toBe(190);
  expect(await refused(await signInPage(harness, { account: page.pageId }))).toBeUndefined();
});

test.each(['me', 'me/accounts', 'me/permissions'])(
  'calls of people meet dead tokens and limits too, at %s',
  async (path) => {
    const { harness, page } = await facebook();
    const call = path.replace('/', '.');
    await fault(harness, 'rate_limited', { call, reason: '17' });
    await fault(harness, 'token_revoked', { call });
    const code = async () => (await get(harness, path, {}, { token: page.personToken })).body.error.code;
    expect([await code(), await code(), await code()]).toEqual([17, 190, 190]);
  },
);

test.each([
  ['token_revoked', {}, 401, 'NotAuthorizedError', false],
  ['scope_removed', {}, 401, 'NotAuthorizedError', false],
  ['processing_failed', {}, 400, 'ProcessingFailedError', false],
  ['5xx_before_commit', {}, 503, 'ServiceUnavailableError', true],
  ['5xx_after_commit', {}, 500, 'ServiceUnavailableError', true],
] as const)("%s at the upload host has that host's words", async (name, more, status, type, retriable) => {
  const { harness, page } = await facebook();
  const upload = await startUpload(harness, page, 'video_reels');
  await fault(harness, name, { call: 'video.upload', ...more });
  const got = await send(harness, page, upload, REEL, { offset: '0', file_size: String(REEL.length) });
  expect([got.status, got.body]).toEqual([status, { debug_info: { retriable, type, message: expect.any(String) } }]);
  await harness.clock.advance(1_000);
  const { video_status } = await statusOf(
    harness,
    await signInPage(harness, { account: page.pageId }),
    upload.video_id,
  );
  expect(video_status).toBe(name === '5xx_after_commit' ? 'upload_complete' : 'uploading');
  await noFaultsLeft(harness);
});

test.each(['video_reels', 'video_stories'] as const)(
  '%s: processing_stuck never ends, and nothing is live',
  async (edge: Edge) => {
    const { harness, page } = await facebook();
    await fault(harness, 'processing_stuck', { call: `${edge}.finish` });
    const upload = await sent(harness, page, edge);
    expect((await finishUpload(harness, page, edge, upload)).status).toBe(200);
    await harness.clock.advance(30 * 24 * 3_600_000);
    expect([(await statusOf(harness, page, upload.video_id)).video_status, await live(harness)]).toEqual([
      'processing',
      [],
    ]);
  },
);

test('a stuck feed video is live, as it is from its finish on, and never ready', async () => {
  const { harness, page } = await facebook();
  await fault(harness, 'processing_stuck', { call: 'videos.finish' });
  const session = await uploaded(harness, page);
  await finish(harness, page, session);
  await harness.clock.advance(30 * 24 * 3_600_000);
  expect([(await statusOf(harness, page, session.video_id)).video_status, (await live(harness)).length]).toEqual([
    'processing',
    1,
  ]);
});

const PROBLEMS = [
  '1363024',
  '1363019',
  '1363020',
  '1363021',
  '1363022',
  '1363023',
  '1363025',
  '1363026',
  '1363030',
  '1363031',
  '1363032',
  '1363033',
  '1363037',
  '1363041',
  '1363042',
  '1363045',
  '1363047',
  '351',
  '352',
  '382',
  '389',
  '6000',
  '6001',
];

test.each(PROBLEMS)(
  'processing_failed %s: a reel reports it in its status, a feed video at its finish',
  async (reason) => {
    const { harness, page } = await facebook();
    await fault(harness, 'processing_failed', reason === '1363024' ? {} : { reason });
    const upload = await sent(harness, page, 'video_reels');
    await finishUpload(harness, page, 'video_reels', upload);
    await harness.clock.advance(PROCESSED_MS);
    expect((await statusOf(harness, page, upload.video_id)).processing_phase).toEqual({
      status: 'error',
      errors: [{ code: Number(reason), message: expect.any(String) }],
    });
    await fault(harness, 'processing_failed', { call: 'videos.finish', reason });
    const session = await uploaded(harness, page);
    const { error } = (await finish(harness, page, session)).body;
    expect(reason.length < 7 ? [error.code, undefined] : [error.code, String(error.error_subcode)]).toEqual(
      reason.length < 7 ? [Number(reason), undefined] : [6000, reason],
    );
    expect(await live(harness)).toEqual([]);
    expect((await finish(harness, page, session)).status).toBe(200);
  },
);

test('processing_failed at the transfer: the finish succeeds, and the video fails later without ever having been live', async () => {
  const { harness, page } = await facebook();
  await fault(harness, 'processing_failed', { call: 'videos.transfer', reason: '1363032' });
  const session = await startSession(harness, page, FILM.length);
  await transfer(harness, page, session, 0, FILM);
  expect((await finish(harness, page, session)).body).toMatchObject({ success: true });
  await harness.clock.advance(PROCESSED_MS);
  expect(await statusOf(harness, page, session.video_id)).toMatchObject({
    video_status: 'error',
    processing_phase: { errors: [{ code: 1_363_032 }] },
  });
  expect([await live(harness), (await read(harness, page, session.video_id, 'published,post_id')).body]).toEqual([
    [],
    { id: session.video_id, published: false },
  ]);
});

test('media_fetch_blocked: no file, and no link', async () => {
  const { harness, page } = await facebook();
  const blocked = async (call: string, perform: () => Promise<{ readonly body: any }>) => {
    await fault(harness, 'media_fetch_blocked', { call });
    const { error, debug_info } = (await perform()).body;
    return error?.code ?? debug_info.type;
  };
  const upload = await startUpload(harness, page, 'video_reels');
  expect(await blocked('photos.create', () => post(harness, page, 'photos', { form: { url: fileUrl('photo') } }))).toBe(
    324,
  );
  expect(
    await blocked('photos.create', () =>
      post(harness, page, 'photos', { parts: partsOf({}, { name: 'source', bytes: MEDIA_FIXTURES.photo.bytes }) }),
    ),
  ).toBe(324);
  expect(
    await blocked('videos.create', () => post(harness, page, 'videos', { form: { file_url: fileUrl('film') } })),
  ).toBe(389);
  expect(
    await blocked('feed.create', () => post(harness, page, 'feed', { form: { link: 'https://example.com/' } })),
  ).toBe(1_609_005);
  expect(
    await blocked('video.upload', () => send(harness, page, upload, new Uint8Array(), { file_url: fileUrl('reel') })),
  ).toBe('ProcessingFailedError');
  expect(await live(harness)).toEqual([]);
});

test('permalink_missing leaves the address out, in reads and in lists', async () => {
  const { harness, page } = await facebook();
  const id = await draft(harness, page, 'a');
  await publish(harness, page, id);
  const reel = await sent(harness, page, 'video_reels');
  await finishUpload(harness, page, 'video_reels', reel);
  await post(harness, page, 'photo_stories', { form: { photo_id: await photo(harness, page) } });
  await harness.clock.advance(PROCESSED_MS);
  for (const call of ['objects.read', 'published_posts.list', 'feed.list', 'video_reels.list', 'stories.list'])
    await fault(harness, 'permalink_missing', { call });
  expect((await read(harness, page, id, 'id,permalink_url')).body).toEqual({ id });
  expect((await read(harness, page, id, 'id,permalink_url')).body.permalink_url).toContain('/posts/');
  for (const edge of ['published_posts', 'feed']) {
    const { data } = (await read(harness, page, `${page.pageId}/${edge}`, 'message,permalink_url')).body;
    expect(data.map((one: object) => Object.keys(one).toSorted())).toEqual([['id'], ['id', 'message']]);
  }
  expect((await read(harness, page, `${page.pageId}/video_reels`, 'permalink_url')).body.data).toEqual([
    { id: reel.video_id },
  ]);
  expect((await read(harness, page, `${page.pageId}/stories`, 'url,status')).body.data).toEqual([
    { status: 'PUBLISHED' },
  ]);
  await noFaultsLeft(harness);
});

test.each([
  [{ fault: 'processing_stuck', call: 'posts.publish' }],
  [{ fault: 'processing_failed', reason: 'bored' }],
  [{ fault: 'rate_limited', reason: '5' }],
  [{ fault: 'rate_limited', call: 'video.upload' }],
  [{ fault: 'token_revoked', reason: '1' }],
  [{ fault: 'media_fetch_blocked', call: 'videos.transfer' }],
  [{ fault: 'me_accounts_empty', call: 'me' }],
  [{ fault: 'container_read_100_33' }],
  [{ fault: 'moderation_hold' }],
])('the fault %j is not one of facebook', async (wrong) => {
  const { harness } = await facebook();
  expect((await harness.ask('POST', '/sandbox/faults', { json: { network: 'facebook', ...wrong } })).status).toBe(400);
});
