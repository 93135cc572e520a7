import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import { filmOf } from '../instagram/instagram.fixture.ts';
import type { SandboxHarness } from '../sandbox.fixture.ts';
import { SANDBOX_APP } from '../simulators.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  API,
  DAY_MS,
  facebook,
  facebookHarness,
  fileUrl,
  finish,
  finishUpload,
  live,
  mediaOf,
  partsOf,
  post,
  PROCESSED_MS,
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

const FILM = MEDIA_FIXTURES.film.bytes;
const REEL = MEDIA_FIXTURES.reel.bytes;
const whole = (bytes: Uint8Array) => ({ offset: '0', file_size: String(bytes.length) });
const statusOf = async (harness: SandboxHarness, page: OwnPage, videoId: string) =>
  (await read(harness, page, videoId, 'status')).body.status;

/** How far the status of an upload is behind the upload. */
const STATUS_LAG_MS = 20;

describe('a feed video in a session', () => {
  test('start, transfer by the returned offsets, finish, and again', async () => {
    const { harness, page } = await facebook();
    const start = await post(harness, page, 'videos', {
      form: { upload_phase: 'start', file_size: String(FILM.length) },
    });
    const end = String(Math.min(FILM.length, 1_048_576));
    expect(start.body).toEqual({
      upload_session_id: expect.stringMatching(/^\d+$/),
      video_id: expect.stringMatching(/^\d{19}$/),
      start_offset: '0',
      end_offset: end,
      skip_upload: false,
    });
    const half = FILM.length >> 1;
    const to = (from: number) => ({ start_offset: String(from), end_offset: String(FILM.length) });
    const put = (offset: number, bytes: Uint8Array) => transfer(harness, page, start.body, offset, bytes);
    expect((await put(0, FILM.slice(0, half))).body).toEqual(to(half));
    expect((await put(0, FILM.slice(0, half))).body).toEqual(to(half));
    expect((await put(half, FILM.slice(half))).body).toEqual(to(FILM.length));
    expect((await put(half, FILM.slice(half))).body).toEqual(to(FILM.length));
    const { video_id: id } = start.body;
    expect([await live(harness), (await read(harness, page, id, 'published,post_id')).body]).toEqual([
      [],
      { id, published: false },
    ]);
    for (let i = 0; i < 2; i++)
      expect((await finish(harness, page, start.body, { description: 'Baking', title: 'Dough' })).body).toEqual({
        success: true,
        video_id: id,
      });
    expect(await live(harness)).toMatchObject([
      { remoteId: id, text: 'Baking', title: 'Dough', media: mediaOf('film'), placement: 'feed' },
    ]);
    expect((await read(harness, page, id, 'status,published,permalink_url,post_id,length')).body).toEqual({
      ...{
        id,
        published: true,
        permalink_url: `/videos/${id}`,
        post_id: expect.stringMatching(new RegExp(`^${page.pageId}_`)),
        length: 4,
      },
      status: expect.objectContaining({ video_status: 'processing' }),
    });
    await harness.clock.advance(PROCESSED_MS);
    expect((await statusOf(harness, page, id)).video_status).toBe('ready');
    expect((await harness.ask('GET', `/sim/facebook/videos/${id}`)).text).toContain('Baking');
  });

  test('the post it makes is listed by the id of the video once it is ready', async () => {
    const { harness, page } = await facebook();
    const session = await uploaded(harness, page);
    await finish(harness, page, session, { description: 'Baking' });
    const list = async () =>
      (await read(harness, page, `${page.pageId}/published_posts`, 'id,message,attachments{target{id}}')).body.data;
    expect(await list()).toEqual([]);
    await harness.clock.advance(PROCESSED_MS);
    const { post_id } = (await read(harness, page, session.video_id, 'post_id')).body;
    expect(await list()).toEqual([
      { id: post_id, message: 'Baking', attachments: { data: [{ target: { id: session.video_id } }] } },
    ]);
    expect((await read(harness, page, post_id, 'is_published,permalink_url')).body).toMatchObject({
      is_published: true,
      permalink_url: expect.stringContaining(`/videos/${session.video_id}`),
    });
  });

  test('a wrong offset is refused with the right one', async () => {
    const { harness, page } = await facebook();
    const session = await startSession(harness, page, FILM.length);
    await transfer(harness, page, session, 0, FILM.slice(0, 1_000));
    const { body } = await transfer(harness, page, session, 1_001, FILM.slice(1_001));
    expect(body.error).toMatchObject({
      error_subcode: 1_363_037,
      error_data: { start_offset: '1000', end_offset: String(FILM.length) },
    });
    expect((await transfer(harness, page, session, 1_000, FILM.slice(1_000))).status).toBe(200);
  });

  test('a request that is incomplete, foreign, too large or too early is refused', async () => {
    const { harness, page } = await facebook();
    const other = await signInPage(harness);
    const session = await startSession(harness, page, 2_000);
    const error = async (form: Readonly<Record<string, string>>, who = page) => {
      const {
        error: { code, error_subcode },
      } = (await post(harness, who, 'videos', { form })).body;
      return error_subcode ?? code;
    };
    const { upload_session_id } = session;
    expect(await error({ upload_phase: 'start' })).toBe(100);
    expect(await error({ upload_phase: 'start', file_size: '0' })).toBe(100);
    expect(await error({ upload_phase: 'start', file_size: String(11 * 2 ** 30) })).toBe(1_363_023);
    expect(await error({ upload_phase: 'transfer', start_offset: '0' })).toBe(100);
    expect(await error({ upload_phase: 'transfer', upload_session_id: '71' })).toBe(100);
    expect(await error({ upload_phase: 'transfer', upload_session_id })).toBe(100);
    expect(await error({ upload_phase: 'transfer', upload_session_id, start_offset: '0' })).toBe(100);
    expect(await error({ upload_phase: 'finish', upload_session_id }, other)).toBe(1_363_042);
    expect(await error({ upload_phase: 'finish', upload_session_id })).toBe(1_363_033);
    expect(await error({ upload_phase: 'jump', upload_session_id })).toBe(100);
    expect((await transfer(harness, page, session, 0, new Uint8Array(2_001))).body.error.error_subcode).toBe(1_363_045);
    expect(
      (
        await post(harness, page, 'videos', {
          parts: partsOf(
            { upload_phase: 'transfer', upload_session_id, start_offset: '0' },
            { name: 'source', bytes: FILM },
          ),
        })
      ).body.error.code,
    ).toBe(100);
    const taken = await uploaded(harness, page);
    expect((await finish(harness, page, taken, { title: 'a'.repeat(255) })).body.error.code).toBe(100);
    expect((await finish(harness, page, taken, { published: 'false' })).body.error.code).toBe(100);
    expect([await live(harness), (await finish(harness, page, taken, { title: 'a'.repeat(254) })).status]).toEqual([
      [],
      200,
    ]);
  });

  test('a session ends after a day, or when it is cancelled', async () => {
    const { harness, page } = await facebook();
    const cancelled = await uploaded(harness, page);
    const cancel = (session: typeof cancelled) =>
      post(harness, page, 'videos', { form: { upload_phase: 'cancel', upload_session_id: session.upload_session_id } });
    expect((await cancel(cancelled)).body).toEqual({ success: true });
    expect((await finish(harness, page, cancelled)).body.error.code).toBe(100);
    expect((await read(harness, page, cancelled.video_id, 'id')).body.error).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
    const [cut, complete, finished] = [
      await startSession(harness, page, 5_000),
      await uploaded(harness, page),
      await uploaded(harness, page),
    ];
    await finish(harness, page, finished);
    expect((await cancel(finished)).body.error.error_subcode).toBe(1_363_041);
    await harness.clock.advance(DAY_MS + 1);
    expect((await statusOf(harness, page, cut.video_id)).video_status).toBe('expired');
    const subcodes = [cut, complete].map(
      async (session) => (await finish(harness, page, session)).body.error.error_subcode,
    );
    expect(await Promise.all(subcodes)).toEqual([1_363_030, 1_363_041]);
    expect((await finish(harness, page, finished)).status).toBe(200);
    expect((await live(harness)).length).toBe(1);
  });

  test.each([
    ['no film', MEDIA_FIXTURES.photo.bytes, 1_363_024],
    ['too small', filmOf(4_000, 1_280, 720).slice(0, 100), 1_363_022],
    ['too long', Buffer.concat([filmOf(240 * 60_000 + 1, 1_280, 720), new Uint8Array(1_000)]), 1_363_026],
  ])('%s: the finish says so, and nothing is live', async (_, bytes, subcode) => {
    const { harness, page } = await facebook();
    const { status, body } = await finish(harness, page, await uploaded(harness, page, bytes));
    expect([status, body.error, await live(harness)]).toEqual([
      400,
      expect.objectContaining({ code: 6000, error_subcode: subcode }),
      [],
    ]);
  });
});

describe('a feed video with one call', () => {
  test.each([
    ['by address', { form: { file_url: fileUrl('film'), description: 'Baking' } }],
    ['as bytes', { parts: partsOf({ description: 'Baking' }, { name: 'source', bytes: FILM }) }],
  ])('%s', async (_, ask) => {
    const { harness, page } = await facebook();
    const { body } = await post(harness, page, 'videos', ask);
    expect(body).toEqual({ id: expect.stringMatching(/^\d{19}$/) });
    expect(await live(harness)).toMatchObject([{ remoteId: body.id, text: 'Baking', media: mediaOf('film') }]);
  });

  test('each call makes a video of its own, and a file that is no video makes none', async () => {
    const { harness, page } = await facebook();
    const code = async (form: Readonly<Record<string, string>>) =>
      (await post(harness, page, 'videos', { form })).body.error?.code;
    expect([
      await code({ file_url: fileUrl('film') }),
      await code({ file_url: fileUrl('film') }),
      (await live(harness)).length,
    ]).toEqual([undefined, undefined, 2]);
    expect([
      await code({}),
      await code({ file_url: 'film' }),
      await code({ file_url: fileUrl('nowhere') }),
      await code({ file_url: fileUrl('photo') }),
    ]).toEqual([100, 100, 389, 6000]);
    expect((await live(harness)).length).toBe(2);
  });

  test('by the handle of an upload that a person made', async () => {
    const { harness, page } = await facebook();
    const ask = { token: page.personToken };
    const about = { file_name: 'film.mp4', file_length: String(FILM.length), file_type: 'video/mp4' };
    const { id } = (
      await harness.ask('POST', `${API}/${SANDBOX_APP.clientId}/uploads?${new URLSearchParams(about)}`, ask)
    ).body;
    expect(id).toMatch(/^upload:\d+$/);
    const put = (offset: number, bytes: Uint8Array) =>
      harness.ask('POST', `${API}/${id}`, {
        raw: bytes,
        headers: { Authorization: `OAuth ${page.personToken}`, file_offset: String(offset) },
      });
    const half = FILM.length >> 1;
    expect((await put(0, FILM.slice(0, half))).body).toEqual({ id, file_offset: half });
    expect((await put(0, FILM)).body.error.code).toBe(100);
    expect((await harness.ask('GET', `${API}/${id}`, ask)).body).toEqual({ id, file_offset: half });
    const { h } = (await put(half, FILM.slice(half))).body;
    expect((await put(half, FILM.slice(half))).body).toEqual({ h });
    for (const wrong of ['', 'x', '4:eA', h.slice(0, -2)])
      expect(
        (await post(harness, page, 'videos', { form: { fbuploader_video_file_chunk: wrong } })).body.error.code,
      ).toBe(100);
    expect(await live(harness)).toEqual([]);
    expect((await post(harness, page, 'videos', { form: { fbuploader_video_file_chunk: h } })).status).toBe(200);
    expect(await live(harness)).toMatchObject([{ media: mediaOf('film') }]);
    expect((await harness.ask('GET', `${API}/${id}`, { token: page.token })).body.error.error_subcode).toBe(33);
    expect((await harness.ask('GET', `${API}/upload:1`, ask)).body.error.error_subcode).toBe(33);
    for (const wrong of [{ file_length: '0' }, { file_type: 'text/plain' }]) {
      expect(
        (await harness.ask('POST', `${API}/${SANDBOX_APP.clientId}/uploads`, { ...ask, form: { ...about, ...wrong } }))
          .body.error.code,
      ).toBe(100);
    }
  });
});

describe('a reel', () => {
  test('start, upload, finish: its status goes through every phase', async () => {
    const { harness, page } = await facebook();
    const upload = await startUpload(harness, page, 'video_reels');
    const { video_id: id } = upload;
    expect(upload).toEqual({
      video_id: expect.stringMatching(/^\d{19}$/),
      upload_url: `http://sandbox.test/sim/facebook/video-upload/v25.0/${id}`,
    });
    const phases = async () => {
      const { video_status, uploading_phase, processing_phase, publishing_phase } = await statusOf(harness, page, id);
      return [
        video_status,
        uploading_phase.status,
        processing_phase.status,
        publishing_phase.status,
        publishing_phase.publish_status,
      ];
    };
    expect(await phases()).toEqual(['uploading', 'not_started', 'not_started', 'not_started', 'draft']);
    expect((await send(harness, page, upload, REEL, whole(REEL))).body).toEqual({ success: true });
    expect((await phases())[0]).toBe('uploading');
    await harness.clock.advance(STATUS_LAG_MS);
    expect(await phases()).toEqual(['upload_complete', 'complete', 'not_started', 'not_started', 'draft']);
    expect(await live(harness)).toEqual([]);
    for (let i = 0; i < 2; i++)
      expect(
        (await finishUpload(harness, page, 'video_reels', upload, { description: 'Crust', title: 'T' })).body,
      ).toMatchObject({ success: true });
    const publish_time = Date.UTC(2026, 10, 20, 12) / 1000;
    expect(await statusOf(harness, page, id)).toEqual({
      video_status: 'processing',
      uploading_phase: { status: 'complete', bytes_transferred: REEL.length, source_file_size: REEL.length },
      processing_phase: { status: 'in_progress', errors: [] },
      publishing_phase: { status: 'not_started', publish_status: 'published', publish_time },
    });
    await harness.clock.advance(250);
    expect(await phases()).toEqual(['ready', 'complete', 'complete', 'completed', 'published']);
    expect(await live(harness)).toMatchObject([
      { remoteId: id, text: 'Crust', title: 'T', media: mediaOf('reel'), placement: 'feed' },
    ]);
    expect((await read(harness, page, id, 'permalink_url,post_id,published')).body).toEqual({
      id,
      permalink_url: `/reel/${id}`,
      post_id: expect.stringMatching(/^\d{19}$/),
      published: true,
    });
    expect((await harness.ask('GET', `/sim/facebook/reel/${id}`)).status).toBe(200);
    await harness.clock.advance(PROCESSED_MS);
    expect((await read(harness, page, `${page.pageId}/video_reels`, '')).body.data).toEqual([
      { id, description: 'Crust', updated_time: '2026-11-20T12:00:00+0000' },
    ]);
  });

  test('processing takes a quarter of a second, or twenty-five when the sandbox is as slow as the real one', async () => {
    const { harness, page } = await facebook();
    await harness.ask('POST', '/sandbox/timing', { json: { network: 'facebook', factor: 1 } });
    const upload = await sent(harness, page, 'video_reels');
    await finishUpload(harness, page, 'video_reels', upload);
    await harness.clock.advance(24_999);
    expect((await statusOf(harness, page, upload.video_id)).video_status).toBe('processing');
    await harness.clock.advance(1);
    expect((await statusOf(harness, page, upload.video_id)).video_status).toBe('ready');
  });

  test('an upload that was cut continues where it stopped', async () => {
    const { harness, page } = await facebook();
    const upload = await startUpload(harness, page, 'video_reels');
    const part = REEL.slice(0, 1_000);
    const answer = await send(harness, page, upload, part, { offset: '0', file_size: String(REEL.length) });
    expect([answer.status, answer.body]).toEqual([
      206,
      {
        debug_info: {
          retriable: true,
          type: 'PartialRequestError',
          message: 'Partial request (did not match length of file)',
        },
      },
    ]);
    const uploading = async () => (await statusOf(harness, page, upload.video_id)).uploading_phase;
    expect(await uploading()).toMatchObject({ status: 'not_started', bytes_transferred: 0 });
    await harness.clock.advance(STATUS_LAG_MS);
    expect(await uploading()).toEqual({
      status: 'in_progress',
      bytes_transferred: 1_000,
      source_file_size: REEL.length,
    });
    expect((await finishUpload(harness, page, 'video_reels', upload)).body.error.error_subcode).toBe(1_363_033);
    await send(harness, page, upload, REEL.slice(1_000), { offset: '1000', file_size: String(REEL.length) });
    await finishUpload(harness, page, 'video_reels', upload);
    expect(await live(harness)).toMatchObject([{ media: mediaOf('reel') }]);
  });

  test('the file can be fetched', async () => {
    const { harness, page } = await facebook();
    const upload = await startUpload(harness, page, 'video_reels');
    const byAddress = (file_url: string) => send(harness, page, upload, new Uint8Array(), { file_url });
    for (const wrong of [fileUrl('nowhere'), 'https://video.fbcdn.net/reel', 'reel']) {
      expect(await byAddress(wrong)).toMatchObject({
        status: 400,
        body: { debug_info: { retriable: false, type: 'ProcessingFailedError' } },
      });
    }
    for (let i = 0; i < 2; i++) expect((await byAddress(fileUrl('reel'))).body).toEqual({ success: true });
    await finishUpload(harness, page, 'video_reels', upload);
    expect(await live(harness)).toMatchObject([{ media: mediaOf('reel') }]);
  });

  test.each([
    [{ offset: '1', file_size: '2000' }, 400, 'OffsetInvalidError', true],
    [{ file_size: '2000' }, 400, 'OffsetInvalidError', true],
    [{ offset: '0' }, 400, 'PartialRequestError', false],
    [{ offset: '0', file_size: '10' }, 400, 'PartialRequestError', false],
    [{ offset: '0', file_size: String(2 ** 31) }, 400, 'ProcessingFailedError', false],
    [{ offset: '0', file_size: '2000', Authorization: 'OAuth garbage' }, 401, 'NotAuthorizedError', false],
    [{ offset: '0', file_size: '2000', Authorization: '' }, 401, 'NotAuthorizedError', false],
  ] as const)('an upload with %j is refused', async (headers, status, type, retriable) => {
    const { harness, page } = await facebook();
    const upload = await startUpload(harness, page, 'video_reels');
    const got = await send(harness, page, upload, REEL.slice(0, 100), headers);
    expect([got.status, got.body]).toEqual([status, { debug_info: { retriable, type, message: expect.any(String) } }]);
  });

  test('an upload is for its Page only, for a day, and for the video it was started for', async () => {
    const { harness, page } = await facebook();
    const other = await signInPage(harness);
    const upload = await startUpload(harness, page, 'video_reels');
    const session = await startSession(harness, page, REEL.length);
    const status = async (who: OwnPage, upload_url = upload.upload_url) =>
      (await send(harness, who, { ...upload, upload_url }, REEL, whole(REEL))).status;
    expect(await status(other)).toBe(404);
    expect(await status({ ...page, token: page.personToken })).toBe(401);
    expect(await status(page, upload.upload_url.replace(/\d+$/, '1'))).toBe(404);
    expect(await status(page, upload.upload_url.replace(/\d+$/, session.video_id))).toBe(404);
    await harness.clock.advance(DAY_MS + 1);
    expect(await status(page)).toBe(404);
  });

  test.each([
    ['too short', filmOf(2_999, 720, 1_280), 1_363_025],
    ['too long', filmOf(90_001, 720, 1_280), 1_363_026],
    ['too small', filmOf(5_000, 360, 640), 352],
    ['not upright', filmOf(5_000, 1_280, 720), 352],
    ['no film', MEDIA_FIXTURES.photo.bytes, 1_363_024],
  ])('%s: the status reports it, and nothing is live', async (_, film, code) => {
    const { harness, page } = await facebook();
    const upload = await sent(harness, page, 'video_reels', Buffer.concat([film, new Uint8Array(1_000)]));
    expect((await finishUpload(harness, page, 'video_reels', upload)).status).toBe(200);
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, page, upload.video_id)).toMatchObject({
      video_status: 'error',
      processing_phase: { status: 'error', errors: [{ code, message: expect.any(String) }] },
      publishing_phase: { status: 'error', publish_status: 'error' },
    });
    expect([await live(harness), (await read(harness, page, upload.video_id, 'published,permalink_url')).body]).toEqual(
      [[], { id: upload.video_id, published: false }],
    );
    expect((await read(harness, page, `${page.pageId}/video_reels`, '')).body.data).toEqual([]);
  });

  test('a draft is not live until it is finished as published, and stays so', async () => {
    const { harness, page } = await facebook();
    const upload = await sent(harness, page, 'video_reels');
    const as = (video_state: string) => finishUpload(harness, page, 'video_reels', upload, { video_state });
    for (const wrong of ['', 'LIVE', 'SCHEDULED']) expect((await as(wrong)).body.error.code).toBe(100);
    expect([(await as('DRAFT')).body, await live(harness)]).toEqual([{ success: true }, []]);
    expect((await statusOf(harness, page, upload.video_id)).publishing_phase.publish_status).toBe('draft');
    expect([(await as('PUBLISHED')).status, (await as('DRAFT')).status, (await live(harness)).length]).toEqual([
      200, 400, 1,
    ]);
  });

  test('thirty in a day, or as many as configured; those of another Page do not count', async () => {
    const { harness, page } = await facebook();
    const code = async (who: OwnPage) =>
      (await finishUpload(harness, who, 'video_reels', await sent(harness, who, 'video_reels'))).body.error?.code;
    for (let i = 0; i < 30; i++) expect(await code(page)).toBeUndefined();
    expect(await code(page)).toBe(613);
    expect(await code(await signInPage(harness))).toBeUndefined();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'facebook', limits: { reelsPerDay: 31 } } });
    expect([await code(page), await code(page)]).toEqual([undefined, 613]);
    await harness.clock.advance(DAY_MS);
    expect(await code(page)).toBeUndefined();
    expect((await live(harness)).length).toBe(33);
  });
});

test('a video Story: finished once, listed by the id of the video', async () => {
  const { harness, page } = await facebook();
  const upload = await sent(harness, page, 'video_stories');
  expect((await statusOf(harness, page, upload.video_id)).publishing_phase.publish_status).toBe('not_published');
  const [first, second] = [
    await finishUpload(harness, page, 'video_stories', upload),
    await finishUpload(harness, page, 'video_stories', upload),
  ];
  expect([first.body, second.body]).toEqual([
    { success: true, post_id: expect.stringMatching(/^\d{19}$/) },
    first.body,
  ]);
  const [item, ...others] = await live(harness);
  expect([item, others]).toEqual([
    expect.objectContaining({ remoteId: first.body.post_id, placement: 'story', media: mediaOf('reel') }),
    [],
  ]);
  await harness.clock.advance(PROCESSED_MS);
  const { data } = (await read(harness, page, `${page.pageId}/stories`, '')).body;
  expect(data).toMatchObject([
    { post_id: first.body.post_id, media_type: 'video', media_id: upload.video_id, url: item.permalink },
  ]);
  expect((await harness.ask('GET', item.permalink)).status).toBe(200);
  expect((await read(harness, page, `${page.pageId}/published_posts`, '')).body.data).toEqual([]);
});

test('Stories last a minute at most', async () => {
  const { harness, page } = await facebook();
  const upload = await sent(
    harness,
    page,
    'video_stories',
    Buffer.concat([filmOf(60_001, 720, 1_280), new Uint8Array(1_000)]),
  );
  await finishUpload(harness, page, 'video_stories', upload);
  await harness.clock.advance(PROCESSED_MS);
  expect([
    (await statusOf(harness, page, upload.video_id)).processing_phase.errors[0].code,
    await live(harness),
  ]).toEqual([1_363_026, []]);
});

test.each(['video_reels', 'video_stories'] as const)(
  '%s: a request that is incomplete, foreign or of another kind is refused',
  async (edge: Edge) => {
    const { harness, page } = await facebook();
    const other = await signInPage(harness);
    const upload = await sent(harness, page, edge);
    const error = async (form: Readonly<Record<string, string>>, who = page) =>
      (await post(harness, who, edge, { form })).body.error;
    const done = { upload_phase: 'finish', video_state: 'PUBLISHED' };
    expect([
      (await error({})).code,
      (await error({ upload_phase: 'transfer' })).code,
      (await error(done)).code,
    ]).toEqual([100, 100, 100]);
    const foreign = await sent(harness, page, edge === 'video_reels' ? 'video_stories' : 'video_reels');
    for (const [video_id, who] of [
      [upload.video_id, other],
      [foreign.video_id, page],
      ['1', page],
    ] as const)
      expect((await error({ ...done, video_id }, who)).error_subcode).toBe(33);
    expect((await error({ ...done, video_id: (await startUpload(harness, page, edge)).video_id })).error_subcode).toBe(
      1_363_033,
    );
    await harness.clock.advance(DAY_MS + 1);
    expect((await error({ ...done, video_id: upload.video_id })).error_subcode).toBe(1_363_041);
    expect(await live(harness)).toEqual([]);
  },
);

test('phases may be sent as multipart bodies', async () => {
  const { harness, page } = await facebook();
  const { body } = await post(harness, page, 'video_reels', { parts: partsOf({ upload_phase: 'start' }) });
  expect(body).toMatchObject({ video_id: expect.any(String) });
  expect((await post(harness, page, 'video_reels', { parts: partsOf({ something: 'else' }) })).body.error.code).toBe(
    100,
  );
});

test('a partial upload and a video in processing survive a restart', async () => {
  const kept = { store: createMemoryStore(), bytes: createMemoryBytes() };
  const harness = facebookHarness({}, kept);
  const page = await signInPage(harness);
  const [reel, cut] = [await sent(harness, page, 'video_reels'), await startSession(harness, page, FILM.length)];
  await finishUpload(harness, page, 'video_reels', reel);
  await transfer(harness, page, cut, 0, FILM.slice(0, 1_000));
  const restarted = facebookHarness({}, kept);
  expect((await statusOf(restarted, page, reel.video_id)).video_status).toBe('processing');
  expect((await transfer(restarted, page, cut, 1_000, FILM.slice(1_000))).status).toBe(200);
  await restarted.clock.advance(PROCESSED_MS);
  expect((await statusOf(restarted, page, reel.video_id)).video_status).toBe('ready');
  for (const finished of [await finishUpload(restarted, page, 'video_reels', reel), await finish(restarted, page, cut)])
    expect(finished.status).toBe(200);
  expect((await live(restarted)).map(({ media }) => media)).toEqual([mediaOf('reel'), mediaOf('film')]);
});
