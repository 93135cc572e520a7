import { expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { setFault } from '../sandbox.fixture.ts';
import type { SandboxHarness } from '../sandbox.fixture.ts';
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
} from './facebook.fixture.ts';
import type { Edge, OwnPage } from './facebook.fixture.ts';

const REEL = MEDIA_FIXTURES.reel.bytes;
const FILM = MEDIA_FIXTURES.film.bytes;
const fault = (bench: SandboxHarness, name: string, more: object = {}) =>
  setFault(bench, { network: 'facebook', fault: name, ...more });
const noFaultsLeft = async (bench: SandboxHarness) =>
  expect((await bench.ask('GET', '/sandbox/faults')).body.faults).toEqual([]);
const statusOf = async (bench: SandboxHarness, page: OwnPage, videoId: string) =>
  (await read(bench, page, videoId, 'status')).body.status;

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
  const { bench, page } = await facebook();
  const id = await draft(bench, page, 'Once');
  await fault(bench, name, more);
  const got = await publish(bench, page, id);
  expect([got.status, got.body.error]).toEqual([status, expect.objectContaining({ type: 'OAuthException', ...error })]);
  expect(await live(bench)).toEqual([]);
  const again = await signInPage(bench, { account: page.pageId });
  expect((await read(bench, again, id, 'is_published')).body.is_published).toBe(false);
  expect((await publish(bench, again, id)).status).toBe(200);
  expect((await live(bench)).length).toBe(1);
  await noFaultsLeft(bench);
});

test.each([
  ['drop_after_commit', { cut: 'after' }],
  ['5xx_after_commit', { status: 500 }],
])('%s: the post is live, and publishing it again changes nothing', async (name, outcome) => {
  const { bench, page } = await facebook();
  const id = await draft(bench, page, 'Once');
  await fault(bench, name);
  expect(
    await bench.outcome('POST', `${API}/${id}`, { token: page.token, json: { is_published: true } }),
  ).toMatchObject(outcome);
  expect((await read(bench, page, id, 'is_published')).body.is_published).toBe(true);
  expect((await publish(bench, page, id)).body).toEqual({ success: true });
  expect((await live(bench)).length).toBe(1);
});

test('a lost answer of the one-call way: sending again makes a second post, as at the real Facebook', async () => {
  const { bench, page } = await facebook();
  await fault(bench, 'drop_after_commit', { call: 'feed.create' });
  expect(
    await bench.outcome('POST', `${API}/${page.pageId}/feed`, { token: page.token, form: { message: 'a' } }),
  ).toEqual({ cut: 'after' });
  await post(bench, page, 'feed', { form: { message: 'a' } });
  expect((await live(bench)).length).toBe(2);
});

const ONE_CALL: readonly (readonly [
  string,
  (bench: SandboxHarness, page: OwnPage) => Promise<{ readonly status: number }>,
])[] = [
  ['feed.create', (bench, page) => post(bench, page, 'feed', { form: { message: 'a' } })],
  ['photos.create', (bench, page) => post(bench, page, 'photos', { form: { url: fileUrl('photo') } })],
  ['videos.create', (bench, page) => post(bench, page, 'videos', { form: { file_url: fileUrl('film') } })],
  ['videos.finish', async (bench, page) => finish(bench, page, await uploaded(bench, page))],
  [
    'video_reels.finish',
    async (bench, page) => finishUpload(bench, page, 'video_reels', await sent(bench, page, 'video_reels')),
  ],
  [
    'video_stories.finish',
    async (bench, page) => finishUpload(bench, page, 'video_stories', await sent(bench, page, 'video_stories')),
  ],
  [
    'photo_stories.create',
    async (bench, page) =>
      post(bench, page, 'photo_stories', { form: { photo_id: await photo(bench, page, 'story') } }),
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
    const { bench, page } = await facebook();
    await fault(bench, name, { call });
    expect((await perform(bench, page)).status).toBeGreaterThanOrEqual(400);
    expect(await live(bench)).toEqual([]);
    expect((await perform(bench, await signInPage(bench, { account: page.pageId }))).status).toBe(200);
    expect((await live(bench)).length).toBe(1);
    await noFaultsLeft(bench);
  },
);

test('too many calls: the headers say how long to wait, by default an hour made shorter by the timing', async () => {
  const { bench, page } = await facebook();
  const id = await draft(bench, page, 'a');
  const minutes = async () =>
    JSON.parse((await publish(bench, page, id)).headers['x-business-use-case-usage']!)[page.pageId][0];
  await fault(bench, 'rate_limited');
  expect(await minutes()).toMatchObject({ type: 'pages', call_count: 100, estimated_time_to_regain_access: 1 });
  await fault(bench, 'rate_limited', { delayMs: 600_000 });
  expect((await minutes()).estimated_time_to_regain_access).toBe(10);
  await fault(bench, 'rate_limited', { reason: '4' });
  expect(JSON.parse((await publish(bench, page, id)).headers['x-app-usage']!)).toMatchObject({ call_count: 100 });
});

test('token_revoked and scope_removed last until the person consents again', async () => {
  const { bench, page } = await facebook();
  await fault(bench, 'scope_removed', { call: 'photos.create' });
  const refused = async (who: OwnPage) => (await post(bench, who, 'feed', { form: { message: 'a' } })).body.error?.code;
  expect((await post(bench, page, 'photos', { form: { url: fileUrl('photo') } })).body.error.code).toBe(200);
  expect(await refused(page)).toBe(200);
  const { data } = (await get(bench, 'me/permissions', {}, { token: page.personToken })).body;
  expect(data.map(({ status }: { readonly status: string }) => status)).toEqual(['declined', 'declined', 'declined']);
  const again = await signInPage(bench, { account: page.pageId });
  await fault(bench, 'token_revoked', { call: 'objects.read' });
  expect((await read(bench, again, '1', 'id')).body.error.code).toBe(190);
  expect(await refused(again)).toBe(190);
  expect(await refused(await signInPage(bench, { account: page.pageId }))).toBeUndefined();
});

test.each(['me', 'me/accounts', 'me/permissions'])(
  'calls of people meet dead tokens and limits too, at %s',
  async (path) => {
    const { bench, page } = await facebook();
    const call = path.replace('/', '.');
    await fault(bench, 'rate_limited', { call, reason: '17' });
    await fault(bench, 'token_revoked', { call });
    const code = async () => (await get(bench, path, {}, { token: page.personToken })).body.error.code;
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
  const { bench, page } = await facebook();
  const upload = await startUpload(bench, page, 'video_reels');
  await fault(bench, name, { call: 'video.upload', ...more });
  const got = await send(bench, page, upload, REEL, { offset: '0', file_size: String(REEL.length) });
  expect([got.status, got.body]).toEqual([status, { debug_info: { retriable, type, message: expect.any(String) } }]);
  const { video_status } = await statusOf(bench, await signInPage(bench, { account: page.pageId }), upload.video_id);
  expect(video_status).toBe(name === '5xx_after_commit' ? 'upload_complete' : 'uploading');
  await noFaultsLeft(bench);
});

test.each(['video_reels', 'video_stories'] as const)(
  '%s: processing_stuck never ends, and nothing is live',
  async (edge: Edge) => {
    const { bench, page } = await facebook();
    await fault(bench, 'processing_stuck', { call: `${edge}.finish` });
    const upload = await sent(bench, page, edge);
    expect((await finishUpload(bench, page, edge, upload)).status).toBe(200);
    await bench.clock.advance(30 * 24 * 3_600_000);
    expect([(await statusOf(bench, page, upload.video_id)).video_status, await live(bench)]).toEqual([
      'processing',
      [],
    ]);
  },
);

test('a stuck feed video is live, as it is from its finish on, and never ready', async () => {
  const { bench, page } = await facebook();
  await fault(bench, 'processing_stuck', { call: 'videos.finish' });
  const session = await uploaded(bench, page);
  await finish(bench, page, session);
  await bench.clock.advance(30 * 24 * 3_600_000);
  expect([(await statusOf(bench, page, session.video_id)).video_status, (await live(bench)).length]).toEqual([
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
    const { bench, page } = await facebook();
    await fault(bench, 'processing_failed', reason === '1363024' ? {} : { reason });
    const upload = await sent(bench, page, 'video_reels');
    await finishUpload(bench, page, 'video_reels', upload);
    await bench.clock.advance(PROCESSED_MS);
    expect((await statusOf(bench, page, upload.video_id)).processing_phase).toEqual({
      status: 'error',
      errors: [{ code: Number(reason), message: expect.any(String) }],
    });
    await fault(bench, 'processing_failed', { call: 'videos.finish', reason });
    const session = await uploaded(bench, page);
    const { error } = (await finish(bench, page, session)).body;
    expect(reason.length < 7 ? [error.code, undefined] : [error.code, String(error.error_subcode)]).toEqual(
      reason.length < 7 ? [Number(reason), undefined] : [6000, reason],
    );
    expect(await live(bench)).toEqual([]);
    expect((await finish(bench, page, session)).status).toBe(200);
  },
);

test('processing_failed at the transfer: the finish succeeds, and the video fails later without ever having been live', async () => {
  const { bench, page } = await facebook();
  await fault(bench, 'processing_failed', { call: 'videos.transfer', reason: '1363032' });
  const session = await startSession(bench, page, FILM.length);
  await transfer(bench, page, session, 0, FILM);
  expect((await finish(bench, page, session)).body).toMatchObject({ success: true });
  await bench.clock.advance(PROCESSED_MS);
  expect(await statusOf(bench, page, session.video_id)).toMatchObject({
    video_status: 'error',
    processing_phase: { errors: [{ code: 1_363_032 }] },
  });
  expect([await live(bench), (await read(bench, page, session.video_id, 'published,post_id')).body]).toEqual([
    [],
    { id: session.video_id, published: false },
  ]);
});

test('media_fetch_blocked: no file, and no link', async () => {
  const { bench, page } = await facebook();
  const blocked = async (call: string, perform: () => Promise<{ readonly body: any }>) => {
    await fault(bench, 'media_fetch_blocked', { call });
    const { error, debug_info } = (await perform()).body;
    return error?.code ?? debug_info.type;
  };
  const upload = await startUpload(bench, page, 'video_reels');
  expect(await blocked('photos.create', () => post(bench, page, 'photos', { form: { url: fileUrl('photo') } }))).toBe(
    324,
  );
  expect(
    await blocked('photos.create', () =>
      post(bench, page, 'photos', { parts: partsOf({}, { name: 'source', bytes: MEDIA_FIXTURES.photo.bytes }) }),
    ),
  ).toBe(324);
  expect(
    await blocked('videos.create', () => post(bench, page, 'videos', { form: { file_url: fileUrl('film') } })),
  ).toBe(389);
  expect(
    await blocked('feed.create', () => post(bench, page, 'feed', { form: { link: 'https://example.com/' } })),
  ).toBe(1_609_005);
  expect(
    await blocked('video.upload', () => send(bench, page, upload, new Uint8Array(), { file_url: fileUrl('reel') })),
  ).toBe('ProcessingFailedError');
  expect(await live(bench)).toEqual([]);
});

test('permalink_missing leaves the address out, in reads and in lists', async () => {
  const { bench, page } = await facebook();
  const id = await draft(bench, page, 'a');
  await publish(bench, page, id);
  const reel = await sent(bench, page, 'video_reels');
  await finishUpload(bench, page, 'video_reels', reel);
  await post(bench, page, 'photo_stories', { form: { photo_id: await photo(bench, page) } });
  await bench.clock.advance(PROCESSED_MS);
  for (const call of ['objects.read', 'published_posts.list', 'feed.list', 'video_reels.list', 'stories.list'])
    await fault(bench, 'permalink_missing', { call });
  expect((await read(bench, page, id, 'id,permalink_url')).body).toEqual({ id });
  expect((await read(bench, page, id, 'id,permalink_url')).body.permalink_url).toContain('/posts/');
  for (const edge of ['published_posts', 'feed']) {
    const { data } = (await read(bench, page, `${page.pageId}/${edge}`, 'message,permalink_url')).body;
    expect(data.map((one: object) => Object.keys(one).toSorted())).toEqual([['id'], ['id', 'message']]);
  }
  expect((await read(bench, page, `${page.pageId}/video_reels`, 'permalink_url')).body.data).toEqual([
    { id: reel.video_id },
  ]);
  expect((await read(bench, page, `${page.pageId}/stories`, 'url,status')).body.data).toEqual([
    { status: 'PUBLISHED' },
  ]);
  await noFaultsLeft(bench);
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
  const { bench } = await facebook();
  expect((await bench.ask('POST', '/sandbox/faults', { json: { network: 'facebook', ...wrong } })).status).toBe(400);
});
