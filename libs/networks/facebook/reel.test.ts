import { describe, expect, test } from 'vitest';
import { jsonAnswer, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import {
  adapter,
  ARMED_AT,
  GRAPH,
  jsonOf,
  photo,
  prepareAll,
  refusal,
  SENT_AGAIN_AFTER,
  success,
  upright,
  video,
  work,
} from './facebook.fixture.ts';

const MIB = 1024 * 1024;
const ADDRESS = 'https://rupload.facebook.com/video-upload/v25.0/v9?secret=hidden';
const begun = (uploadUrl = ADDRESS) => jsonAnswer(200, { video_id: 'v9', upload_url: uploadUrl });
const received = (bytes: number, videoStatus = 'uploading') =>
  jsonAnswer(200, {
    id: 'v9',
    status: { video_status: videoStatus, uploading_phase: { status: 'in_progress', bytes_transferred: bytes } },
  });
const uploaded = jsonAnswer(200, {
  id: 'v9',
  status: { video_status: 'upload_complete', uploading_phase: { status: 'complete' } },
});
const problem = (type: string, retriable: boolean) =>
  jsonAnswer(400, { debug_info: { retriable, type, message: `said of ${ADDRESS}` } });
/** How the host that takes the bytes answers a piece that is not the last. */
const partial = jsonAnswer(206, {
  debug_info: {
    retriable: true,
    type: 'PartialRequestError',
    message: 'Partial request (did not match length of file)',
  },
});
const handleAt = (from: number, more: object = {}) =>
  JSON.stringify({
    kind: 'reel',
    video: 'v9',
    uploadUrl: ADDRESS,
    from,
    fetched: false,
    repeated: false,
    since: ARMED_AT,
    ...more,
  });

describe('what is a reel', () => {
  const firstUrl = async (file: ReturnType<typeof video>) => {
    const { asked } = await prepareAll([file], [refusal(400, 368)]);
    return asked[0]?.url;
  };

  test.each([
    ['9:16 and 3 s', upright(10, { durationMs: 3_000 }), 'video_reels'],
    ['9:16 and 90 s', upright(10, { durationMs: 90_000 }), 'video_reels'],
    ['540x960', upright(10, { width: 540, height: 960 }), 'video_reels'],
    ['sides that were rounded', upright(10, { width: 608, height: 1080 }), 'video_reels'],
    ['longer', upright(10, { durationMs: 90_001 }), 'videos'],
    ['shorter', upright(10, { durationMs: 2_999 }), 'videos'],
    ['smaller', upright(10, { width: 360, height: 640 }), 'videos'],
    ['of another shape', upright(10, { width: 1080, height: 1350 }), 'videos'],
    ['lying', video(10), 'videos'],
    ['of a length nobody knows', upright(10, { durationMs: null }), 'videos'],
  ])('%s', async (_name, file, edge) => {
    expect(await firstUrl(file)).toMatch(new RegExp(`/77/${edge}$`));
  });
});

describe('uploading', () => {
  test('begun, sent in pieces to the address that was given, ready when Facebook has everything', async () => {
    const { answer, asked } = await prepareAll(
      [upright(20 * MIB)],
      [begun(), success(), success(), success(), uploaded],
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(jsonOf(asked[0])).toEqual({ upload_phase: 'start' });
    expect(
      asked
        .slice(1, 4)
        .map(({ url, headers, body }) => [
          url,
          headers?.['offset'],
          headers?.['file_size'],
          headers?.['authorization'],
          (body as Uint8Array).length,
        ]),
    ).toEqual([
      [ADDRESS, '0', String(20 * MIB), 'OAuth token-1', 8 * MIB],
      [ADDRESS, String(8 * MIB), String(20 * MIB), 'OAuth token-1', 8 * MIB],
      [ADDRESS, String(16 * MIB), String(20 * MIB), 'OAuth token-1', 4 * MIB],
    ]);
    expect(asked[4]?.url).toBe(`${GRAPH}/v9?fields=status`);
  });

  test.each<[string, readonly ScriptedStep[], string | undefined]>([
    [
      'a piece that is called a part of a file is kept',
      [problem('PartialRequestError', true), received(8 * MIB), success(), uploaded],
      String(8 * MIB),
    ],
    [
      'a wrong place is put right by what has arrived',
      [problem('OffsetInvalidError', false), received(9 * MIB), success(), uploaded],
      String(9 * MIB),
    ],
  ])('%s', async (_name, script, offset) => {
    const { answer, asked } = await prepareAll([upright(10 * MIB)], script, {}, handleAt(0));
    expect(answer.kind).toBe('ready');
    expect(asked[2]?.headers?.['offset']).toBe(offset);
  });

  test('a file larger than a piece is sent in pieces, each from where Facebook is', async () => {
    const { answer, asked } = await prepareAll(
      [upright(20 * MIB)],
      [begun(), partial, received(8 * MIB), partial, received(15 * MIB), success(), uploaded],
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    const offsets = asked.filter(({ url }) => url === ADDRESS).map(({ headers }) => headers?.['offset']);
    expect(offsets).toEqual(['0', String(8 * MIB), String(15 * MIB)]);
  });

  test('bytes that have arrived are read in the older spelling, too', async () => {
    const older = jsonAnswer(200, { id: 'v9', status: { uploading_phase: { bytes_transfered: 9 * MIB } } });
    const { answer, asked } = await prepareAll(
      [upright(20 * MIB)],
      [partial, older, partial, received(20 * MIB), uploaded],
      {},
      handleAt(0),
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked[2]?.headers?.['offset']).toBe(String(9 * MIB));
  });

  test('a piece that was taken counts as arrived where the status does not say how much has', async () => {
    const silent = jsonAnswer(200, { id: 'v9', status: { video_status: 'uploading' } });
    const { answer, asked } = await prepareAll(
      [upright(10 * MIB)],
      [partial, silent, success(), uploaded],
      {},
      handleAt(0),
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked[2]?.headers?.['offset']).toBe(String(8 * MIB));
  });

  test('pieces that were taken and are twice not there are given up for a fetch of the file', async () => {
    const file = upright(20 * MIB);
    const { answer, asked } = await prepareAll(
      [file],
      [partial, received(0), partial, received(0), success(), uploaded],
      {},
      handleAt(0),
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked[2]?.headers?.['offset']).toBe('0');
    expect(asked[4]?.headers).toMatchObject({ file_url: file.url });
  });

  test('a host that keeps no parts is asked to fetch the file', async () => {
    const file = upright(20 * MIB);
    const { answer, asked } = await prepareAll(
      [file],
      [problem('PartialRequestError', true), received(0), success(), uploaded],
      {},
      handleAt(0),
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked[2]).toMatchObject({ url: ADDRESS, headers: { authorization: 'OAuth token-1', file_url: file.url } });
    expect(asked[2]).not.toHaveProperty('body');
  });

  test('a fetch under way is waited for', async () => {
    const { answer } = await prepareAll([upright(10)], [received(3)], {}, handleAt(10, { fetched: true }));
    expect(answer).toMatchObject({ kind: 'wait', delayMs: 2_000, handle: expect.stringContaining('"from":10') });
  });

  test('bytes that went missing are sent again', async () => {
    const { answer } = await prepareAll([upright(10)], [received(3)], {}, handleAt(10));
    expect(answer).toMatchObject({ kind: 'wait', handle: expect.stringContaining('"from":3') });
  });

  test.each<[string, readonly ScriptedStep[], object]>([
    [
      'a lost answer keeps the place',
      [success(), { cut: 'after' }],
      { handle: expect.stringContaining(`"from":${8 * MIB}`), failure: { reason: 'platform_problem' } },
    ],
    [
      'a video that can not be processed',
      [problem('ProcessingFailedError', false)],
      { handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'a place that is never right',
      Array.from({ length: 4 }, () => [problem('OffsetInvalidError', true), received(0)]).flat(),
      { handle: null, failure: { reason: 'platform_problem' } },
    ],
    ['a dead token', [refusal(401, 190)], { failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
    [
      'an upload that is lost',
      [success(), success(), received(0, 'upload_failed')],
      { handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
  ])('%s', async (_name, script, expected) => {
    const { answer } = await prepareAll([upright(10 * MIB)], script, {}, handleAt(0));
    expect(answer).toMatchObject({ kind: 'failed', ...expected });
    expect(answer.summary.detail).not.toContain('hidden');
  });

  test('an address that is none of Facebook is not called', async () => {
    const { answer, asked } = await prepareAll([upright(10)], [begun('https://rupload.facebook.com.evil.test/x')]);
    expect(answer).toMatchObject({ kind: 'failed', failure: { retry: 'never' } });
    expect(asked).toHaveLength(1);
  });
});

const seen = (publishing: object, videoStatus = 'processing', more: object = {}) =>
  jsonAnswer(200, { id: 'v9', status: { video_status: videoStatus, publishing_phase: publishing }, ...more });
const notBegun = { status: 'not_started', publish_status: 'draft' };

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const { publication, asked } = work([upright(10)], script);
    return { answer: await adapter.publish(publication, handleAt(10)), asked };
  };

  test('publishing requests that the reel goes live', async () => {
    const { answer, asked } = await publish(success());
    expect(answer).toMatchObject({ kind: 'accepted', delayMs: 5_000 });
    expect(asked[0]).toMatchObject({ url: `${GRAPH}/77/video_reels`, timeoutMs: 40_000 });
    expect(jsonOf(asked[0])).toEqual({
      upload_phase: 'finish',
      video_id: 'v9',
      video_state: 'PUBLISHED',
      description: 'Hello & 見て',
    });
  });

  test.each<[string, readonly Scripted[], object]>([
    ['a lost answer', [{ cut: 'after' }], { kind: 'unknown' }],
    [
      'the reels of a day',
      [refusal(400, 100, undefined, { message: 'Reels limit reached' })],
      { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later' } },
    ],
    ['an upload that expired', [refusal(400, 1363030), seen(notBegun, 'expired')], { kind: 'failed', handle: null }],
    [
      'an upload that went live before',
      [refusal(400, 1363030), seen({ status: 'in_progress', publish_status: 'published' })],
      { kind: 'unknown' },
    ],
  ])('%s', async (_name, script, expected) => {
    expect((await publish(...script)).answer).toMatchObject(expected);
  });
});

describe('reconciling', () => {
  const reconcile = async (afterMs: number, ...script: Scripted[]) =>
    adapter.reconcile(work([], script, { now: ARMED_AT + afterMs }).publication, {
      handle: handleAt(10),
      armedAt: ARMED_AT,
      asked: 7,
    });

  test.each<[string, number, Scripted, object]>([
    [
      'live, by one word',
      5_000,
      seen({ status: 'complete', publish_status: 'published' }, 'ready', { permalink_url: '/reel/9/' }),
      { kind: 'published', remoteId: 'v9', permalink: 'https://www.facebook.com/reel/9/' },
    ],
    [
      'live, by the other',
      5_000,
      seen({ status: 'completed' }, 'ready', { post_id: 'p5' }),
      { kind: 'published', remoteId: 'p5', permalink: 'https://www.facebook.com/reel/v9' },
    ],
    [
      'under way',
      5_000,
      seen({ status: 'not_started', publish_status: 'published' }),
      { kind: 'processing', delayMs: 15_000 },
    ],
    ['under way for ever', 1_800_001, seen({ status: 'in_progress' }), { kind: 'unknown', delayMs: null }],
    ['not begun, at first', 100_000, seen(notBegun), { kind: 'unknown', delayMs: 15_000 }],
    ['not begun, two minutes later', 120_001, seen(notBegun), { kind: 'absent' }],
    [
      'a draft that is complete is none that is live',
      5_000,
      seen({ status: 'complete', publish_status: 'draft' }, 'ready'),
      { kind: 'unknown' },
    ],
    [
      'dead',
      5_000,
      seen({ status: 'error', error: { message: 'Video too dark' } }),
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', detail: 'Video too dark' } },
    ],
    ['not to be read', 5_000, { cut: 'after' }, { kind: 'unknown' }],
    ['not to be seen', 5_000, refusal(400, 100, 33), { kind: 'unknown' }],
  ])('%s', async (_name, afterMs, scripted, expected) => {
    expect(await reconcile(afterMs, scripted)).toMatchObject(expected);
  });
});

const stories = (...entries: object[]) => jsonAnswer(200, { data: entries });
const own = { post_id: 'p5', media_id: 'v9', media_type: 'video', url: 'https://facebook.com/stories/77/x' };

const STORIES: readonly [string, Rendition, string][] = [
  ['a photo Story', photo('a'), JSON.stringify({ kind: 'photoStory', photo: 'v9', repeated: true, since: ARMED_AT })],
  ['a video Story', upright(10), handleAt(10, { kind: 'videoStory', repeated: true })],
];

describe.each(STORIES)('%s that is sent once more, while the first one may show', (_kind, file, handle) => {
  const publish = (answer: Scripted) =>
    adapter.publish(work([file], [answer], { placement: 'story' }).publication, handle);

  test.each<[string, Scripted]>([
    ['for what it shows', refusal(400, 368)],
    ['for want of a permission', refusal(400, 200)],
  ])('a refusal %s is none of the first one', async (_name, answer) => {
    const answered = await publish(answer);
    expect(answered).toMatchObject({ kind: 'unknown' });
    expect(answered).not.toHaveProperty('ifAbsent');
  });

  test.each(SENT_AGAIN_AFTER)('after %s it is sent again, and the first one may show', async (_name, answer, retry) => {
    expect(await publish(answer)).toMatchObject({ kind: 'failed', failure: { retry, mayBeLive: true } });
  });

  test('is not failed for not being listed', async () => {
    const script = [stories(), seen({ status: 'not_started', publish_status: 'not_published' }, 'upload_complete')];
    const { publication } = work([], script, { placement: 'story', now: ARMED_AT + 240_001 });
    const armed = { handle: handle.replace('"repeated":true', '"repeated":false'), armedAt: ARMED_AT, asked: 1 };
    expect(await adapter.reconcile(publication, armed)).toMatchObject({
      kind: 'failed',
      handle,
      failure: { mayBeLive: true },
    });
  });
});

describe('a photo Story', () => {
  const handle = (more: object = {}) =>
    JSON.stringify({ kind: 'photoStory', photo: 'v9', repeated: false, since: ARMED_AT, ...more });
  const reconcile = async (afterMs: number, script: readonly Scripted[], more: object = {}) =>
    adapter.reconcile(work([], script, { placement: 'story', now: ARMED_AT + afterMs }).publication, {
      handle: handle(more),
      armedAt: ARMED_AT,
      asked: 1,
    });

  test('a photo is uploaded unseen, without a description', async () => {
    const { answer, asked } = await prepareAll([photo('a', { altText: 'a cat' })], [jsonAnswer(200, { id: 'v9' })], {
      placement: 'story',
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: handle() });
    expect(asked[0]?.url).toBe(`${GRAPH}/77/photos`);
    expect(Buffer.from(asked[0]?.body as Uint8Array).toString()).not.toContain('alt_text');
  });

  test.each<[string, readonly Scripted[], object]>([
    [
      'shown, with its link',
      [success({ post_id: 'p5' }), stories(own)],
      { kind: 'published', remoteId: 'p5', permalink: own.url },
    ],
    [
      'shown, and not listed yet',
      [success({ post_id: 'p5' }), stories()],
      { kind: 'published', remoteId: 'p5', permalink: null },
    ],
    ['a lost answer', [{ cut: 'after' }], { kind: 'unknown' }],
    ['a photo used before', [refusal(400, 100, 1366051)], { kind: 'unknown', ifAbsent: { duplicate: true } }],
    ['a limit', [refusal(400, 32)], { kind: 'failed', failure: { reason: 'rate_limited' } }],
  ])('%s', async (_name, script, expected) => {
    const { publication, asked } = work([photo('a')], script, { placement: 'story' });
    expect(await adapter.publish(publication, handle())).toMatchObject(expected);
    expect(asked[0]).toMatchObject({ url: `${GRAPH}/77/photo_stories`, body: '{"photo_id":"v9"}' });
  });

  test.each<[string, number, readonly Scripted[], object, object]>([
    [
      'in the list',
      5_000,
      [stories({ media_id: 'v8' }, own)],
      {},
      { kind: 'published', remoteId: 'p5', permalink: own.url },
    ],
    ['not in the list, at first', 200_000, [stories({ media_id: 'v8' })], {}, { kind: 'unknown', delayMs: 40_000 }],
    [
      'never in the list',
      240_001,
      [stories()],
      {},
      { kind: 'failed', handle: handle({ repeated: true }), failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'never in the list, the second time',
      240_001,
      [stories()],
      { repeated: true },
      { kind: 'unknown', delayMs: null },
    ],
    ['behind a dead token', 5_000, [refusal(400, 190)], {}, { kind: 'unknown', tokenRefused: true }],
    ['behind a list that can not be read', 240_001, [refusal(500, 1)], {}, { kind: 'unknown', delayMs: 10_000 }],
  ])('%s', async (_name, afterMs, script, more, expected) => {
    expect(await reconcile(afterMs, script, more)).toMatchObject(expected);
  });
});

describe('a video Story', () => {
  const handle = (more: object = {}) => handleAt(10, { kind: 'videoStory', ...more });
  const reconcile = async (afterMs: number, script: readonly Scripted[], more: object = {}, asked = 1) =>
    adapter.reconcile(work([], script, { placement: 'story', now: ARMED_AT + afterMs }).publication, {
      handle: handle(more),
      armedAt: ARMED_AT,
      asked,
    });

  test('uploaded as a reel is, and then requested to go live', async () => {
    const { answer, asked } = await prepareAll([upright(10)], [begun(), success(), uploaded], { placement: 'story' });
    expect(answer.kind).toBe('ready');
    expect(asked[0]?.url).toBe(`${GRAPH}/77/video_stories`);
    const published = work([upright(10)], [success({ post_id: 'p5' })], { placement: 'story' });
    expect(await adapter.publish(published.publication, handle())).toMatchObject({ kind: 'accepted' });
    expect(jsonOf(published.asked[0])).toEqual({ upload_phase: 'finish', video_id: 'v9' });
  });

  const unpublished = seen({ status: 'not_started', publish_status: 'not_published' }, 'upload_complete');
  test.each<[string, number, readonly Scripted[], object, object]>([
    ['in the list', 5_000, [stories(own)], {}, { kind: 'published', remoteId: 'p5', permalink: own.url }],
    ['at work', 5_000, [stories(), seen({ status: 'in_progress' })], {}, { kind: 'processing' }],
    [
      'dead',
      5_000,
      [stories(), seen({}, 'error')],
      {},
      { kind: 'failed', handle: null, failure: { reason: 'media_problem' } },
    ],
    [
      'live by its own word, the list to follow',
      5_000,
      [stories(), seen({ status: 'complete', publish_status: 'published' })],
      {},
      { kind: 'processing' },
    ],
    ['told nothing, at first', 5_000, [stories(), unpublished], {}, { kind: 'unknown', delayMs: 5_000 }],
    [
      'told nothing',
      240_001,
      [stories(), unpublished],
      {},
      { kind: 'failed', handle: handle({ repeated: true }), failure: { retry: 'later' } },
    ],
    [
      'told nothing, the second time',
      240_001,
      [stories(), unpublished],
      { repeated: true },
      { kind: 'unknown', delayMs: null },
    ],
    ['no video to be seen', 5_000, [stories(), refusal(400, 100, 33)], {}, { kind: 'unknown', delayMs: 10_000 }],
  ])('%s', async (_name, afterMs, script, more, expected) => {
    expect(await reconcile(afterMs, script, more)).toMatchObject(expected);
  });

  test('at work, though its going live has not begun, is waited for and not sent once more', async () => {
    const atWork = seen({ status: 'not_started', publish_status: 'not_published' }, 'processing');
    expect(await reconcile(240_001, [stories(), atWork])).toMatchObject({ kind: 'processing' });
    expect(await reconcile(1_800_001, [stories(), atWork])).toMatchObject({ kind: 'unknown', delayMs: null });
  });

  test('live by its own word, never listed', async () => {
    expect(
      await reconcile(60_000, [stories(), seen({ status: 'complete', publish_status: 'published' })], {}, 4),
    ).toMatchObject({ kind: 'published', remoteId: 'v9', permalink: null });
  });
});
