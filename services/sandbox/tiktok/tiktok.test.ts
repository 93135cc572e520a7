import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { filmOf, jpegOf } from '../instagram/instagram.fixture.ts';
import { setFault, type SandboxHarness, type SeenItem, type SignedIn } from '../sandbox.fixture.ts';
import {
  announced,
  begin,
  call,
  fileUrl,
  list,
  live,
  look,
  mediaOf,
  photoInit,
  postIdsOf,
  PROCESSED_MS,
  published,
  put,
  signInTiktok,
  statusOf,
  tiktok,
  tiktokHarness,
  videoInit,
} from './tiktok.fixture.ts';

const MEGABYTE = 1_000_000;
const DAY_MS = 24 * 3_600_000;
const { bytes } = MEDIA_FIXTURES.reel;
const pullVideo = (url: unknown) => videoInit({ source: 'PULL_FROM_URL', video_url: url });

describe('a post becomes public', () => {
  test('of a video that was sent: processing, complete, and its id after a minute', async () => {
    const { harness, who } = await tiktok();
    const id = await published(harness, who);
    const [item] = await live(harness);
    expect(item).toEqual({
      ...{
        network: 'tiktok',
        accountId: who.accountId,
        remoteId: expect.stringMatching(/^\d{19}$/),
        placement: 'feed',
        text: 'Hello #world',
      },
      ...{
        media: mediaOf('reel'),
        altTexts: [null],
        publishedAt: '2026-11-20T12:00:00.000Z',
        permalink: `http://sandbox.test/sim/tiktok/@mia/video/${item.remoteId}`,
      },
      options: { privacy: 'public', allowComments: true, allowDuet: true, allowStitch: true },
      ...{ link: null, comments: [] },
    });
    const state = async () => [(await statusOf(harness, who, id)).status, await postIdsOf(harness, who, id)];
    await harness.clock.advance(299);
    expect(await state()).toEqual(['PROCESSING_UPLOAD', '']);
    await harness.clock.advance(1);
    expect(await state()).toEqual(['PUBLISH_COMPLETE', '']);
    await harness.clock.advance(599);
    expect(await state()).toEqual(['PUBLISH_COMPLETE', '']);
    await harness.clock.advance(1);
    expect(await state()).toEqual(['PUBLISH_COMPLETE', item.remoteId]);
    expect((await look(harness, who, id)).body.data).toMatchObject({
      fail_reason: '',
      uploaded_bytes: bytes.length,
      downloaded_bytes: 0,
    });
  });

  test('of a video that is pulled', async () => {
    const { harness, who } = await tiktok();
    const { body } = await call(harness, who, 'video/init', pullVideo(fileUrl('film')));
    expect(body.data).toEqual({ publish_id: expect.stringMatching(/^v_pub_url~v2-1\.\d+$/) });
    expect(await statusOf(harness, who, body.data.publish_id)).toMatchObject({
      status: 'PROCESSING_DOWNLOAD',
      uploaded_bytes: 0,
      downloaded_bytes: MEDIA_FIXTURES.film.bytes.length,
    });
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, body.data.publish_id)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
    expect(await live(harness)).toEqual([expect.objectContaining({ text: 'Hello #world', media: mediaOf('film') })]);
  });

  test('of photos, in their order', async () => {
    const { harness, who } = await tiktok();
    const { body } = await call(
      harness,
      who,
      'content/init',
      photoInit([fileUrl('photo'), fileUrl('square'), fileUrl('wideshot')]),
    );
    expect(body.data).toEqual({ publish_id: expect.stringMatching(/^p_pub_url~v2-1\.\d+$/) });
    const [item] = await live(harness);
    expect(item).toMatchObject({
      title: 'Short',
      text: 'Long',
      media: mediaOf('photo', 'square', 'wideshot'),
      altTexts: [null, null, null],
      permalink: `http://sandbox.test/sim/tiktok/@mia/photo/${item.remoteId}`,
    });
    expect(await statusOf(harness, who, body.data.publish_id)).toMatchObject({ status: 'PROCESSING_DOWNLOAD' });
    await harness.clock.advance(PROCESSED_MS);
    expect([
      (await statusOf(harness, who, body.data.publish_id)).status,
      await postIdsOf(harness, who, body.data.publish_id),
    ]).toEqual(['PUBLISH_COMPLETE', item.remoteId]);
  });

  test('and has a page that needs no token', async () => {
    const { harness, who } = await tiktok();
    await published(harness, who, 'reel', { title: 'Seen <by> all' });
    const [{ permalink }] = await live(harness);
    const { status, text } = await harness.ask('GET', permalink);
    expect([status, text]).toEqual([200, expect.stringContaining('Seen &lt;by&gt; all')]);
    for (const wrong of [permalink.replace('/video/', '/photo/'), permalink.replace('@mia', '@leo'), `${permalink}0`])
      expect((await harness.ask('GET', wrong)).status).toBe(404);
  });

  test('but its id is not reported when only some may see it', async () => {
    const harness = tiktokHarness();
    const open = await signInTiktok(harness);
    const closed = await signInTiktok(harness, { account_kind: 'private' });
    for (const [who, privacy] of [
      [open, 'SELF_ONLY'],
      [closed, 'FOLLOWER_OF_CREATOR'],
    ] as const) {
      const id = await published(harness, who, 'reel', { privacy_level: privacy });
      await harness.clock.advance(DAY_MS / 4);
      expect([(await statusOf(harness, who, id)).status, await postIdsOf(harness, who, id)]).toEqual([
        'PUBLISH_COMPLETE',
        '',
      ]);
    }
    expect((await live(harness)).length).toBe(2);
  });
});

describe('the list of videos', () => {
  test('has them newest first, once they are processed, by pages, without photos', async () => {
    const { harness, who } = await tiktok();
    for (const title of ['#1', 'two', 'three']) {
      await published(harness, who, 'reel', { title });
      await harness.clock.advance(2_000);
    }
    await call(harness, who, 'content/init', photoInit([fileUrl('photo')]));
    await published(harness, who, 'film', { title: 'not yet' });
    const [first] = await live(harness);
    const all = (await list(harness, who)).body;
    expect(all.data.videos.map(({ video_description }: { video_description: string }) => video_description)).toEqual([
      'three',
      'two',
      '#1',
    ]);
    expect(all.data.videos[2]).toEqual({
      id: first.remoteId,
      create_time: Date.UTC(2026, 10, 20, 12) / 1000,
      share_url: first.permalink,
      title: '#1',
      video_description: '#1',
      duration: 4,
    });
    expect(all.data.has_more).toBe(false);
    const page = (await list(harness, who, 'title,width,height', { max_count: 2 })).body.data;
    expect(page).toMatchObject({
      videos: [{ title: 'three', width: 720, height: 1280 }, { title: 'two' }],
      has_more: true,
    });
    expect((await list(harness, who, 'title', { max_count: 2, cursor: page.cursor })).body.data).toMatchObject({
      videos: [{ title: '#1' }],
      has_more: false,
    });
    expect((await list(harness, await signInTiktok(harness), 'id')).body.data).toEqual({
      videos: [],
      cursor: 0,
      has_more: false,
    });
  });

  test.each([
    ['', {}],
    ['id,secret', {}],
    ['id', { max_count: 21 }],
    ['id', { max_count: 0 }],
    ['id', { max_count: '5' }],
    ['id', { cursor: -1 }],
    ['id', { cursor: 'x' }],
  ])('is refused for the fields %j and %j', async (fields, body) => {
    const { harness, who } = await tiktok();
    expect(await list(harness, who, fields, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_params' } },
    });
  });
});

describe('the permissions of a creator', () => {
  test('is returned by creator_info', async () => {
    const harness = tiktokHarness();
    const creatorInfo = async (kind: string) =>
      (await call(harness, await signInTiktok(harness, { account_kind: kind }), 'creator_info/query')).body.data;
    expect(await creatorInfo('')).toEqual({
      ...{
        creator_avatar_url: expect.stringContaining('/sandbox/avatars/'),
        creator_username: 'mia',
        creator_nickname: 'Mia',
      },
      privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      ...{ comment_disabled: false, duet_disabled: false, stitch_disabled: false, max_video_post_duration_sec: 600 },
    });
    expect(await creatorInfo('private')).toMatchObject({
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      duet_disabled: true,
    });
  });

  test('limits the post', async () => {
    const harness = tiktokHarness();
    const [open, closed] = [await signInTiktok(harness), await signInTiktok(harness, { account_kind: 'private' })];
    const refused = { status: 403, body: { error: { code: 'privacy_level_option_mismatch' } } };
    expect(
      await call(harness, open, 'video/init', videoInit(announced(1_000), { privacy_level: 'FOLLOWER_OF_CREATOR' })),
    ).toMatchObject(refused);
    expect(await call(harness, closed, 'video/init', videoInit(announced(1_000)))).toMatchObject(refused);
    expect(await call(harness, closed, 'content/init', photoInit([fileUrl('photo')]))).toMatchObject(refused);
  });

  test('is called with nothing, or a JSON object', async () => {
    const { harness, who } = await tiktok();
    const url = '/sim/tiktok/v2/post/publish/creator_info/query/';
    expect((await harness.ask('POST', url, { token: who.token })).status).toBe(200);
    for (const raw of [
      { raw: '{}', headers: { 'Content-Type': 'text/plain' } },
      { raw: '{', headers: { 'Content-Type': 'application/json' } },
      { json: [] },
      { form: { a: 'b' } },
    ]) {
      expect(await harness.ask('POST', url, { token: who.token, ...raw })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_params' } },
      });
    }
  });
});

describe('a post is refused', () => {
  test.each([
    ['without information', { post_info: undefined }],
    ['with a caption that is too long', { title: 'x'.repeat(2_201) }],
    ['with a caption that is no text', { title: 5 }],
    ['without privacy', { privacy_level: undefined }],
    ['with a switch that is none', { disable_duet: 'no' }],
    ['with a cover that is no time', { video_cover_timestamp_ms: '1s' }],
  ])('%s', async (_what, change) => {
    const { harness, who } = await tiktok();
    const body = videoInit(announced(1_000), 'post_info' in change ? {} : change);
    expect(await call(harness, who, 'video/init', { ...body, ...('post_info' in change ? change : {}) })).toMatchObject(
      {
        status: 400,
        body: { error: { code: 'invalid_params' } },
      },
    );
  });

  test('with photos that it can not have', async () => {
    const { harness, who } = await tiktok();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'tiktok', limits: { initsPerMinute: 100 } } });
    const photo = fileUrl('photo');
    const many = (count: number) => Array.from({ length: count }, () => photo);
    const refused = { status: 400, body: { error: { code: 'invalid_params' } } };
    const source = (change: object) => ({ source_info: { ...photoInit([photo]).source_info, ...change } });
    for (const body of [
      ...[
        photoInit([]),
        photoInit(many(36)),
        photoInit([5]),
        photoInit([photo], { title: 'x'.repeat(91) }),
        photoInit([photo], { description: 'x'.repeat(4_001) }),
      ],
      ...[
        photoInit([photo], {}, { media_type: 'VIDEO' }),
        photoInit([photo], {}, { post_mode: 'MEDIA_UPLOAD' }),
        photoInit([photo], {}, { post_info: null }),
      ],
      ...[
        { photo_cover_index: 1 },
        { photo_cover_index: -1 },
        { photo_cover_index: 0.5 },
        { photo_cover_index: '0' },
        { source: 'FILE_UPLOAD' },
        { photo_images: photo },
      ].map((change) => photoInit([photo], {}, source(change))),
    ]) {
      expect(await call(harness, who, 'content/init', body)).toMatchObject(refused);
    }
    expect(
      (
        await call(
          harness,
          who,
          'content/init',
          photoInit(many(35), { title: '👋'.repeat(45), description: 'é'.repeat(4_000) }),
        )
      ).status,
    ).toBe(200);
  });

  test('when it is pulled from what is not verified', async () => {
    const harness = tiktokHarness(
      {
        'https://cdn.ours.example/1.jpg': MEDIA_FIXTURES.photo.bytes,
        'http://127.0.0.1:5/1.jpg': MEDIA_FIXTURES.photo.bytes,
      },
      { verifiedDomains: ['ours.example'] },
    );
    const who = await signInTiktok(harness);
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'tiktok', limits: { initsPerMinute: 100 } } });
    const codes = async (url: string) => [
      (await call(harness, who, 'content/init', photoInit([fileUrl('photo'), url]))).body.error.code,
      (await call(harness, who, 'video/init', pullVideo(url))).body.error.code,
    ];
    for (const url of [
      'https://elsewhere.example/1.jpg',
      'https://notours.example/1.jpg',
      'http://ours.example/1.jpg',
      'ftp://ours.example/1',
      'https://10.0.0.1/1.jpg',
      'nonsense',
    ]) {
      expect([url, await codes(url)]).toEqual([url, ['url_ownership_unverified', 'url_ownership_unverified']]);
    }
    for (const url of [
      'https://cdn.ours.example/1.jpg',
      'https://OURS.example/none',
      'http://127.0.0.1:5/1.jpg',
      'http://localhost/1',
      'http://[::1]:9/1',
      'http://media:8080/1',
      fileUrl('none'),
    ]) {
      expect([url, await codes(url)]).toEqual([url, ['ok', 'ok']]);
    }
  });
});

describe('a file that TikTok refuses makes the post fail', () => {
  test.each([
    ['a picture', MEDIA_FIXTURES.photo.bytes, 'file_format_check_failed'],
    ['too short', filmOf(2_999, 720, 1_280), 'duration_check_failed'],
    ['too long', filmOf(600_001, 720, 1_280), 'duration_check_failed'],
    ['too small', filmOf(5_000, 359, 1_280), 'picture_size_check_failed'],
    ['too large', filmOf(5_000, 720, 4_097), 'picture_size_check_failed'],
  ])('a video that is %s', async (_what, file, reason) => {
    const { harness, who } = await tiktok({ 'https://media.test/odd': file });
    const { publish_id: sent, upload_url: url } = await begin(harness, who, file.length);
    expect((await put(harness, url, file)).status).toBe(201);
    const pulled = (await call(harness, who, 'video/init', pullVideo('https://media.test/odd'))).body.data.publish_id;
    await harness.clock.advance(PROCESSED_MS);
    for (const id of [sent, pulled])
      expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: reason });
    expect(await live(harness)).toEqual([]);
  });

  test.each([
    ['a PNG', MEDIA_FIXTURES.picture.bytes, 'file_format_check_failed'],
    ['a video', bytes, 'file_format_check_failed'],
    ['larger than 1080p', jpegOf(1_081, 1_350), 'picture_size_check_failed'],
    ['longer than 1080p', jpegOf(1_080, 1_921), 'picture_size_check_failed'],
    ['of more than 20 MB', jpegOf(1_080, 1_080, 20 * MEGABYTE), 'photo_pull_failed'],
  ])('a photo that is %s', async (_what, file, reason) => {
    const { harness, who } = await tiktok({ 'https://media.test/odd': file });
    const id = (await call(harness, who, 'content/init', photoInit([fileUrl('photo'), 'https://media.test/odd']))).body
      .data.publish_id;
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: reason });
    expect(await live(harness)).toEqual([]);
  });

  test('that is not there', async () => {
    const { harness, who } = await tiktok();
    const failReason = async (path: string, body: unknown) => {
      const id = (await call(harness, who, path, body)).body.data.publish_id;
      await harness.clock.advance(PROCESSED_MS);
      return (await statusOf(harness, who, id)).fail_reason;
    };
    expect(await failReason('content/init', photoInit([fileUrl('none')]))).toBe('photo_pull_failed');
    expect(await failReason('video/init', pullVideo(fileUrl('none')))).toBe('video_pull_failed');
  });

  test('or is longer than this creator may post', async () => {
    const { harness, who } = await tiktok();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'tiktok', limits: { videoSeconds: 3 } } });
    expect((await call(harness, who, 'creator_info/query')).body.data.max_video_post_duration_sec).toBe(3);
    const id = await published(harness, who);
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: 'duration_check_failed' });
  });
});

describe('a publication', () => {
  test("is no other account's", async () => {
    const { harness, who } = await tiktok();
    const id = await published(harness, who);
    const other = await signInTiktok(harness);
    for (const path of ['status/fetch', 'cancel']) {
      expect(await call(harness, other, path, { publish_id: id })).toMatchObject({
        status: 403,
        body: { error: { code: 'token_not_authorized_for_specified_publish_id' } },
      });
      expect(await call(harness, who, path, { publish_id: 'v_pub_file~v2-1.5' })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_publish_id' } },
      });
      for (const wrong of [undefined, 5, null])
        expect(await call(harness, who, path, { publish_id: wrong })).toMatchObject({
          status: 400,
          body: { error: { code: 'invalid_params' } },
        });
    }
  });

  test('that is pulled and never ends can be cancelled', async () => {
    const { harness, who } = await tiktok();
    await setFault(harness, { network: 'tiktok', fault: 'processing_stuck', call: 'content.init' });
    const id = (await call(harness, who, 'content/init', photoInit([fileUrl('photo')]))).body.data.publish_id;
    await harness.clock.advance(DAY_MS / 2);
    expect(await statusOf(harness, who, id)).toMatchObject({ status: 'PROCESSING_DOWNLOAD' });
    expect((await call(harness, who, 'cancel', { publish_id: id })).body.error.code).toBe('ok');
    expect(await statusOf(harness, who, id)).toMatchObject({ status: 'FAILED', fail_reason: 'publish_cancelled' });
  });
});

describe('limits', () => {
  test.each<readonly [string, number, (harness: SandboxHarness, who: SignedIn) => Promise<SeenItem>]>([
    ['6 posts begun', 6, (harness, who) => call(harness, who, 'video/init', videoInit(announced(1_000)))],
    ['20 looks at the creator', 20, (harness, who) => call(harness, who, 'creator_info/query')],
    ['30 looks at a post', 30, (harness, who) => look(harness, who, 'x')],
  ])('%s in a minute, which is scaled like other waits', async (_what, most, ask) => {
    const { harness, who } = await tiktok();
    for (let count = 0; count < most; count++) expect((await ask(harness, who)).status).not.toBe(429);
    const refused = {
      status: 429,
      body: {
        data: {},
        error: { code: 'rate_limit_exceeded', message: 'The API rate limit was exceeded. Please try again later.' },
      },
    };
    await harness.clock.advance(500);
    expect(await ask(harness, who)).toMatchObject(refused);
    expect((await ask(harness, await signInTiktok(harness))).status).not.toBe(429);
    await harness.clock.advance(100);
    expect((await ask(harness, who)).status).not.toBe(429);
  });

  test('15 posts a day, counted early and late by TikTok; failed ones do not count', async () => {
    const { harness, who } = await tiktok();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'tiktok', limits: { initsPerMinute: 100 } } });
    const late = await begin(harness, who);
    const waste = await begin(harness, who, 10);
    await put(harness, waste.upload_url, new Uint8Array(10));
    for (let count = 0; count < 15; count++) await published(harness, who);
    const refused = { status: 403, body: { error: { code: 'spam_risk_too_many_posts' } } };
    expect(await call(harness, who, 'creator_info/query')).toMatchObject(refused);
    expect(await call(harness, who, 'video/init', videoInit(announced(1_000)))).toMatchObject(refused);
    expect(await call(harness, who, 'content/init', photoInit([fileUrl('photo')]))).toMatchObject(refused);
    expect((await put(harness, late.upload_url, bytes)).status).toBe(201);
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, late.publish_id)).toMatchObject({
      status: 'FAILED',
      fail_reason: 'spam_risk_too_many_posts',
    });
    expect((await live(harness)).length).toBe(15);
    await harness.clock.advance(DAY_MS - PROCESSED_MS);
    const again = await signInTiktok(harness, { account: who.accountId });
    expect((await call(harness, again, 'creator_info/query')).status).toBe(200);
  });
});
