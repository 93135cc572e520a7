import { describe, expect, test } from 'vitest';
import { jsonAnswer, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import {
  adapter,
  ARMED_AT,
  GRAPH,
  jsonOf,
  prepareAll,
  refusal,
  SENT_AGAIN_AFTER,
  success,
  textOf,
  video,
  VIDEO,
  work,
} from './facebook.fixture.ts';

const MIB = 1024 * 1024;
const begun = (start = '0', end = '0') =>
  jsonAnswer(200, { upload_session_id: 's1', video_id: 'v9', start_offset: start, end_offset: end });
const offsets = (start: number, end = start) =>
  jsonAnswer(200, { start_offset: String(start), end_offset: String(end) });
const handleAt = (from: number, more: object = {}) =>
  JSON.stringify({
    kind: 'video',
    video: 'v9',
    session: 's1',
    from,
    to: from,
    repeated: false,
    since: ARMED_AT,
    ...more,
  });
const sentFrom = (request: HttpRequest | undefined) => /name="start_offset"\r\n\r\n(\d+)/.exec(textOf(request))?.[1];

describe('uploading', () => {
  test('a session is begun, its pieces are sent as asked for, and it is ready with the last', async () => {
    const { answer, asked } = await prepareAll(
      [video(5 * MIB)],
      [begun('0', String(2 * MIB)), offsets(2 * MIB, 5 * MIB), offsets(5 * MIB)],
    );
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked[0]).toMatchObject({ url: `${VIDEO}/77/videos` });
    expect(jsonOf(asked[0])).toEqual({ upload_phase: 'start', file_size: String(5 * MIB) });
    expect(textOf(asked[1])).toContain('name="upload_phase"\r\n\r\ntransfer');
    expect(textOf(asked[1])).toContain('name="upload_session_id"\r\n\r\ns1');
    expect(textOf(asked[1])).toContain('name="video_file_chunk"');
    expect([sentFrom(asked[1]), sentFrom(asked[2])]).toEqual(['0', String(2 * MIB)]);
    expect((asked[2]?.body as Uint8Array).length).toBeGreaterThan(3 * MIB);
  });

  test('where Facebook does not say how much, 8 MiB are sent, and 32 MiB between two checkpoints', async () => {
    const size = 40 * MIB;
    const { publication } = work(
      [video(size)],
      [1, 2, 3, 4].map((count) => offsets(count * 8 * MIB)),
    );
    const answer = await adapter.prepare(publication, handleAt(0));
    expect(answer).toMatchObject({ kind: 'wait', delayMs: 0, handle: expect.stringContaining(`"from":${32 * MIB}`) });
  });

  test.each<[string, object]>([
    ['in the body', { start_offset: '1048576', end_offset: '2097152' }],
    ['in the error', { error: { code: 1363037, message: 'm', start_offset: '1048576', end_offset: '2097152' } }],
    [
      'in its data',
      { error: { code: 100, error_subcode: 1363037, message: 'm', error_data: { start_offset: '1048576' } } },
    ],
    [
      'in its data, as text',
      { error: { code: 100, error_subcode: 1363037, message: 'm', error_data: '{"start_offset":1048576}' } },
    ],
  ])('a wrong place is put right, told %s', async (_name, body) => {
    const whole = { error: { code: 1363037, message: 'm' }, ...body };
    const { answer, asked } = await prepareAll(
      [video(2 * MIB)],
      [jsonAnswer(400, whole), offsets(2 * MIB)],
      {},
      handleAt(0),
    );
    expect(answer.kind).toBe('ready');
    expect(sentFrom(asked[1])).toBe('1048576');
  });

  test('a place that is never right ends the session', async () => {
    const { answer } = await prepareAll(
      [video(MIB)],
      Array.from({ length: 4 }, () => offsets(0)),
      {},
      handleAt(0),
    );
    expect(answer).toMatchObject({
      kind: 'failed',
      handle: null,
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  test.each<[string, ScriptedStep, object]>([
    [
      'a lost answer keeps the place',
      { cut: 'after' },
      { handle: expect.stringContaining(`"from":${8 * MIB}`), failure: { reason: 'platform_problem' } },
    ],
    [
      'an expired session is left',
      refusal(400, 1363030),
      { handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'another size than declared needs a new session',
      refusal(400, 100, 1363045),
      { handle: null, failure: { reason: 'media_problem', retry: 'later' } },
    ],
    [
      'a video that is too short is refused',
      refusal(400, 100, 1363025),
      { failure: { reason: 'media_problem', retry: 'never' } },
    ],
  ])('%s', async (_name, step, expected) => {
    const { answer } = await prepareAll([video(20 * MIB)], [offsets(8 * MIB), step], {}, handleAt(0));
    expect(answer).toMatchObject({ kind: 'failed', ...expected });
  });

  test('a session of yesterday is begun anew', async () => {
    const { asked } = await prepareAll(
      [video(10)],
      [begun(), offsets(10)],
      { now: ARMED_AT + 21 * 3_600_000 },
      handleAt(10),
    );
    expect(jsonOf(asked[0])).toMatchObject({ upload_phase: 'start' });
  });
});

const seen = (more: object, videoStatus = 'ready') =>
  jsonAnswer(200, { id: 'v9', status: { video_status: videoStatus }, ...more });

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const { publication, asked } = work([video(10)], script, { title: 'A title' });
    return { answer: await adapter.publish(publication, handleAt(10)), asked };
  };

  test('the session is finished', async () => {
    const { answer, asked } = await publish(success());
    expect(answer).toMatchObject({ kind: 'accepted', delayMs: 5_000 });
    expect(asked[0]).toMatchObject({ url: `${VIDEO}/77/videos`, timeoutMs: 40_000 });
    expect(jsonOf(asked[0])).toEqual({
      upload_phase: 'finish',
      upload_session_id: 's1',
      description: 'Hello & 見て',
      published: true,
      title: 'A title',
    });
  });

  test.each<[string, readonly Scripted[], object]>([
    ['no connection', [{ cut: 'before' }], { kind: 'failed' }],
    ['a lost answer', [{ cut: 'after' }], { kind: 'unknown' }],
    ['trouble', [refusal(500, 1)], { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } }],
    [
      'no permission',
      [refusal(400, 100, undefined, { message: '(#100) No permission to publish the video' })],
      { kind: 'failed', failure: { reason: 'needs_reconnect' } },
    ],
    [
      'a session that expired',
      [refusal(400, 1363041), seen({ published: false }, 'upload_complete')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a session that is gone because it finished',
      [refusal(400, 1363041), seen({ published: true }, 'processing')],
      { kind: 'unknown' },
    ],
    [
      'a session that is gone, and the video at work',
      [refusal(400, 1363041), seen({ published: false }, 'processing')],
      { kind: 'unknown' },
    ],
    [
      'a session that is gone, and a video not to be read',
      [refusal(400, 1363041), { cut: 'after' }],
      { kind: 'unknown' },
    ],
  ])('%s', async (_name, script, expected) => {
    expect((await publish(...script)).answer).toMatchObject(expected);
  });
});

describe('finishing once more, while the first request may show the video', () => {
  const publish = (...script: Scripted[]) =>
    adapter.publish(work([video(10)], script).publication, handleAt(10, { repeated: true }));

  test.each<[string, Scripted]>([
    ['for what it shows', refusal(400, 368)],
    ['for want of a permission', refusal(400, 200)],
    ['for a file that may be sent once more', refusal(400, 389)],
  ])('a refusal %s is none of the first request', async (_name, answer) => {
    const answered = await publish(answer);
    expect(answered).toMatchObject({ kind: 'unknown' });
    expect(answered).not.toHaveProperty('ifAbsent');
  });

  test.each(SENT_AGAIN_AFTER)(
    'after %s it is requested again, and the first request may be carried out',
    async (_name, answer, retry) => {
      expect(await publish(answer)).toMatchObject({ kind: 'failed', failure: { retry, mayBeLive: true } });
    },
  );

  test('a session that expired, of a video that nothing was done with, is begun anew', async () => {
    const answered = await publish(refusal(400, 1363041), seen({ published: false }, 'upload_complete'));
    expect(answered).toMatchObject({ kind: 'failed', handle: null });
    expect(answered).not.toMatchObject({ failure: { mayBeLive: true } });
  });
});

describe('reconciling', () => {
  const reconcile = async (afterMs: number, script: readonly Scripted[], more: object = {}, asked = 1) =>
    adapter.reconcile(work([], script, { now: ARMED_AT + afterMs }).publication, {
      handle: handleAt(10, more),
      armedAt: ARMED_AT,
      asked,
    });
  const listed = (...posts: object[]) => jsonAnswer(200, { data: posts });

  test.each<[string, number, readonly Scripted[], object]>([
    [
      'published',
      5_000,
      [seen({ published: true, post_id: '77_5', permalink_url: '/watch/9' })],
      { kind: 'published', remoteId: '77_5', permalink: 'https://www.facebook.com/watch/9' },
    ],
    [
      'published, without a post',
      5_000,
      [seen({ published: true })],
      { kind: 'published', remoteId: 'v9', permalink: null },
    ],
    [
      'published, and at work',
      5_000,
      [seen({ published: true }, 'processing')],
      { kind: 'processing', delayMs: 5_000 },
    ],
    ['published, and at work for ever', 1_800_001, [seen({ published: true }, 'processing')], { kind: 'published' }],
    [
      'dead',
      5_000,
      [
        seen({
          published: true,
          status: {
            video_status: 'error',
            processing_phase: { status: 'error', errors: [{ code: 1363026, message: 'too long' }] },
          },
        }),
      ],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', detail: 'too long' } },
    ],
    [
      'expired',
      5_000,
      [seen({ published: false }, 'expired')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    ['not published, at first', 5_000, [seen({ published: false })], { kind: 'unknown', delayMs: 5_000 }],
    [
      'never finished, which reads as a draft, too',
      120_001,
      [
        seen({
          published: false,
          status: {
            video_status: 'upload_complete',
            publishing_phase: { status: 'not_started', publish_status: 'draft' },
          },
        }),
      ],
      { kind: 'absent' },
    ],
    ['not published, two minutes later', 120_001, [seen({ published: false })], { kind: 'absent' }],
    [
      'at work unpublished, two minutes later',
      120_001,
      [seen({ published: false }, 'processing')],
      { kind: 'failed', handle: expect.stringContaining('"repeated":true'), failure: { retry: 'later' } },
    ],
    [
      'gone, but in a post',
      5_000,
      [
        refusal(400, 100, 33),
        listed({ id: '77_4' }, { id: '77_5', attachments: { data: [{ target: { id: 'v9' } }] } }),
      ],
      { kind: 'published', remoteId: '77_5' },
    ],
    [
      'gone, but in a part of a post',
      5_000,
      [
        refusal(400, 100, 33),
        listed({ id: '77_5', attachments: { data: [{ subattachments: { data: [{ target: { id: 'v9' } }] } }] } }),
      ],
      { kind: 'published', remoteId: '77_5' },
    ],
    ['gone', 5_000, [refusal(400, 100, 33), listed()], { kind: 'unknown', delayMs: 10_000 }],
    ['behind a dead token', 5_000, [refusal(400, 190)], { kind: 'unknown', tokenRefused: true }],
  ])('%s', async (_name, afterMs, script, expected) => {
    expect(await reconcile(afterMs, script)).toMatchObject(expected);
  });

  describe('a video that Facebook keeps as a draft', () => {
    const draft = seen({
      published: true,
      post_id: '77_5',
      status: { video_status: 'ready', publishing_phase: { status: 'complete', publish_status: 'draft' } },
    });

    test('is not published, whatever else it says', async () => {
      expect(await reconcile(5_000, [draft])).toMatchObject({ kind: 'unknown', delayMs: 5_000 });
    });

    test('is published by a call that names the same video', async () => {
      const answer = await reconcile(120_001, [draft]);
      expect(answer).toMatchObject({ kind: 'failed', failure: { retry: 'later', delayMs: 0 } });
      const kept = 'handle' in answer ? (answer.handle ?? null) : null;
      const prepared = await prepareAll([video(10)], [], {}, kept);
      expect(prepared.answer).toMatchObject({ kind: 'ready' });
      const { publication, asked } = work([video(10)], [success()]);
      expect(await adapter.publish(publication, prepared.handle)).toMatchObject({ kind: 'accepted' });
      expect(asked[0]).toMatchObject({ method: 'POST', url: `${GRAPH}/v9`, timeoutMs: 40_000 });
      expect(jsonOf(asked[0])).toEqual({ published: true });
    });

    test('fails, with words that say what to do, when that is refused', async () => {
      const { publication } = work([video(10)], [refusal(400, 100)]);
      expect(await adapter.publish(publication, handleAt(10, { draft: true }))).toMatchObject({
        kind: 'failed',
        failure: { retry: 'never', detail: expect.stringMatching(/as a draft.*publish it/i) },
      });
    });

    test('fails, with words that say what to do, when that did not help', async () => {
      expect(await reconcile(120_001, [draft], { repeated: true, draft: true })).toMatchObject({
        kind: 'failed',
        failure: {
          reason: 'rejected_by_platform',
          retry: 'never',
          detail: expect.stringMatching(/as a draft.*publish it/i),
        },
      });
    });
  });

  test('a video at work that shows nowhere may go live; one that is kept as a draft does not', async () => {
    expect(await reconcile(120_001, [seen({ published: false }, 'processing')])).toMatchObject({
      kind: 'failed',
      failure: { mayBeLive: true },
    });
    const draft = { status: { video_status: 'ready', publishing_phase: { publish_status: 'draft' } } };
    expect(await reconcile(120_001, [seen(draft)])).not.toMatchObject({ failure: { mayBeLive: true } });
  });

  test('a video that stays in processing after two requests to finish ends as unknown', async () => {
    expect(await reconcile(130_000, [seen({ published: false }, 'processing')], { repeated: true })).toMatchObject({
      kind: 'processing',
    });
    expect(await reconcile(1_800_001, [seen({ published: false }, 'processing')], { repeated: true })).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });

  test('a video is asked for where it is read', async () => {
    const { publication, asked } = work([], [seen({ published: true })]);
    await adapter.reconcile(publication, { handle: handleAt(10), armedAt: ARMED_AT, asked: 0 });
    expect(asked[0]?.url).toBe(`${GRAPH}/v9?fields=status,published,permalink_url,post_id,length`);
  });
});
