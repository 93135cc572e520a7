import { describe, expect, test } from 'vitest';
import { renditionOf } from '#testing/publication.ts';
import { jsonAnswer, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import { PortError } from '#ports/errors.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { adapter, handleOf, jsonOf, nothing, NOW, pathsOf, refusal, seen, UPLOAD, work } from './youtube.fixture.ts';

const LIVE = { kind: 'published', remoteId: 'vid1' };
const cover = (more: Partial<Rendition> = {}): Partial<Publication> => ({
  cover: {
    kind: 'picture',
    file: {
      ...renditionOf(Buffer.from('a picture'), { kind: 'image', contentType: 'image/jpeg', sha256: 'c' }),
      ...more,
    },
  },
});
const playlists = (...playlistIds: string[]): Partial<Publication> => ({ options: { playlistIds } });
const items = (...ids: string[]): Scripted => jsonAnswer(200, { items: ids.map((id) => ({ id })) });
const inserted = jsonAnswer(200, { kind: 'youtube#playlistItem', id: 'item1' });

async function finished(about: Partial<Publication>, script: readonly ScriptedStep[], first = seen('processed')) {
  const { publication, asked } = work([], [first, ...script], { now: NOW + 1_000, ...about });
  const handle = handleOf({ video: 'vid1' });
  return { answer: await adapter.reconcile(publication, { handle, armedAt: NOW, asked: 0 }), asked: asked.slice(1) };
}

describe('the cover of a video that is live', () => {
  test('is sent as it is', async () => {
    const { answer, asked } = await finished(cover(), [jsonAnswer(200, { items: [{}] })]);
    expect(answer).toMatchObject({ ...LIVE, summary: { detail: 'video vid1 is processed, public' } });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: `${UPLOAD}/thumbnails/set?videoId=vid1&uploadType=media`,
        headers: { authorization: 'Bearer ya29.secret', 'content-type': 'image/jpeg' },
        body: Buffer.from('a picture'),
      },
    ]);
  });

  test.each<[string, Partial<Publication>, readonly ScriptedStep[], string]>([
    ['that YouTube refuses', cover(), [refusal(403, 'forbidden', 'Verify your phone')], 'Verify your phone'],
    ['whose answer is lost', cover(), [{ cut: 'after' }], 'its cover could not be set'],
    ['over 2 MB', cover({ bytes: 2_097_153 }), [], 'at most 2 MB'],
    [
      'that can not be read',
      cover({ read: () => Promise.reject(new PortError('unavailable', 'away')) }),
      [],
      'could not be read',
    ],
  ])('%s leaves the video live, and says so', async (_name, about, script, words) => {
    const { answer } = await finished(about, script);
    expect(answer).toMatchObject({ ...LIVE, summary: { detail: expect.stringContaining(words) } });
    expect(JSON.stringify(answer)).not.toContain('ya29');
  });
});

describe('the playlists of a video that is live', () => {
  test('get it, each once', async () => {
    const { answer, asked } = await finished(playlists('PL1', 'PL2', 'PL1'), [items(), inserted, items(), inserted]);
    expect(answer).toMatchObject({ ...LIVE, summary: { detail: 'video vid1 is processed, public' } });
    expect(pathsOf(asked)).toEqual([
      'GET /youtube/v3/playlistItems',
      'POST /youtube/v3/playlistItems',
      'GET /youtube/v3/playlistItems',
      'POST /youtube/v3/playlistItems',
    ]);
    expect(Object.fromEntries(new URL(asked[0]?.url ?? '').searchParams)).toMatchObject({
      playlistId: 'PL1',
      videoId: 'vid1',
    });
    expect(jsonOf(asked[1])).toEqual({
      snippet: { playlistId: 'PL1', resourceId: { kind: 'youtube#video', videoId: 'vid1' } },
    });
  });

  test('that have it already, from before a crash, do not get it again', async () => {
    const { answer, asked } = await finished(playlists('PL1'), [items('item1')]);
    expect(answer).toMatchObject(LIVE);
    expect(pathsOf(asked)).toEqual(['GET /youtube/v3/playlistItems']);
  });

  test('that are gone, or not allowed, leave the video live, and the others get it', async () => {
    const { answer } = await finished(playlists('PL1', 'PL2', 'PL3'), [
      refusal(404, 'playlistNotFound', 'No such playlist'),
      items(),
      refusal(403, 'insufficientPermissions'),
      items(),
      inserted,
    ]);
    const detail = expect.stringMatching(/playlist PL1: No such playlist.*playlist PL2: (?!.*PL3)/);
    expect(answer).toMatchObject({ ...LIVE, summary: { detail } });
  });

  test.each<[string, Scripted, string]>([
    ['is at work', seen('uploaded'), 'processing'],
    ['was rejected', seen('rejected', { rejectionReason: 'copyright' }), 'failed'],
    ['is locked', seen('processed', { privacyStatus: 'private' }), 'failed'],
    ['can not be looked at', nothing(503), 'processing'],
  ])('are left alone while a video %s', async (_name, first, kind) => {
    const { answer, asked } = await finished({ ...playlists('PL1'), ...cover() }, [], first as never);
    expect(answer.kind).toBe(kind);
    expect(asked).toEqual([]);
  });
});
