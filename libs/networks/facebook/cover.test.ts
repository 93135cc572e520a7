import { describe, expect, test } from 'vitest';
import { jsonAnswer, type Scripted } from '#testing/scripted-network.ts';
import { GRAPH, id, jsonOf, photo, prepareAll, refusal, success, textOf, upright, video } from './facebook.fixture.ts';

const picture = { kind: 'picture', file: photo('cover') } as const;
const begunReel = jsonAnswer(200, { video_id: 'v9', upload_url: 'https://rupload.facebook.com/video-upload/v25.0/v9' });
const uploaded = jsonAnswer(200, { id: 'v9', status: { video_status: 'upload_complete' } });
const begunVideo = jsonAnswer(200, { upload_session_id: 's1', video_id: 'v9', start_offset: '0', end_offset: '10' });
const transferred = jsonAnswer(200, { start_offset: '10', end_offset: '10' });

describe.each([
  ['a reel', upright(10), [begunReel, success(), uploaded]],
  ['a video', video(10), [begunVideo, transferred]],
])('the cover of %s', (_name, file, uploading) => {
  const prepare = (...script: Scripted[]) => prepareAll([file], [...uploading, ...script], { cover: picture });

  test('is set while nothing is public', async () => {
    const { answer, asked } = await prepare(success());
    expect(answer).toMatchObject({ kind: 'ready', handle: expect.stringContaining('"covered":true') });
    const last = asked.at(-1);
    expect(last).toMatchObject({ method: 'POST', url: `${GRAPH}/v9/thumbnails` });
    expect(textOf(last)).toContain('name="is_preferred"\r\n\r\ntrue\r\n');
    expect(textOf(last)).toContain(
      'name="source"; filename="photo.jpg"\r\ncontent-type: image/jpeg\r\n\r\njpeg of cover',
    );
    expect(asked.filter(({ body }) => typeof body === 'string' && body.includes('finish'))).toEqual([]);
  });

  test('is set once', async () => {
    const { handle } = await prepare(success());
    const again = await prepareAll([file], file.height > file.width ? [uploaded] : [], { cover: picture }, handle);
    expect(again.answer).toMatchObject({ kind: 'ready' });
    expect(again.asked.some(({ url }) => url.endsWith('/thumbnails'))).toBe(false);
  });

  test('is left to Facebook where the Member gave none', async () => {
    const { answer, asked } = await prepareAll([file], uploading, { cover: null });
    expect(answer.kind).toBe('ready');
    expect(asked).toHaveLength(uploading.length);
  });

  test.each<[string, Scripted, object]>([
    ['is refused', refusal(400, 324), { reason: 'media_problem', retry: 'never' }],
    [
      'is not allowed',
      refusal(403, 200),
      {
        reason: 'rejected_by_platform',
        retry: 'never',
        detail: expect.stringMatching(/cover.*pages_manage_engagement/),
      },
    ],
    ['meets a refused token', refusal(400, 190), { reason: 'needs_reconnect', retry: 'refresh' }],
    ['meets trouble', refusal(500, 2), { reason: 'platform_problem', retry: 'later' }],
    ['is not answered', { cut: 'after' }, { reason: 'platform_problem', retry: 'later' }],
    ['is answered without success', jsonAnswer(200, { success: false }), { reason: 'platform_problem' }],
  ])('that %s keeps the video from being public, and its bytes', async (_what, scripted, failure) => {
    const { answer, handle } = await prepare(scripted);
    expect(answer).toMatchObject({ kind: 'failed', failure });
    expect(handle).toContain('"video":"v9"');
    expect(handle).not.toContain('covered');
  });

  test('that is too large is not sent', async () => {
    const large = { kind: 'picture', file: { ...photo('cover'), bytes: 10_000_001 } } as const;
    const { answer, asked } = await prepareAll([file], uploading, { cover: large });
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
    expect(asked).toHaveLength(uploading.length);
  });

  test('that is an instant is a programming error', async () => {
    await expect(prepareAll([file], uploading, { cover: { kind: 'instant', atMs: 1 } })).rejects.toThrow(/picture/);
  });
});

test('a post without a video has no cover', async () => {
  const { answer, asked } = await prepareAll([], [id('77_1')], { cover: picture });
  expect(answer.kind).toBe('ready');
  expect(jsonOf(asked[0])).toMatchObject({ published: false });
});
