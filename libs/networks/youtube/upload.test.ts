import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Scripted, ScriptedStep } from '#testing/scripted-network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { Publication } from '../contract/adapter.ts';
import {
  adapter,
  begun,
  handleOf,
  has,
  jsonOf,
  nothing,
  NOW,
  PART,
  pathsOf,
  prepareAll,
  rangesOf,
  refusal,
  SESSION,
  UPLOAD,
  video,
  whole,
  work,
} from './youtube.fixture.ts';

const THREE = 2 * PART + 5;
const handleOf3 = (more: object = {}) => handleOf({ bytes: THREE, ...more });
const TROUBLE = { reason: 'platform_problem', retry: 'later' };

describe('beginning', () => {
  test('a session is begun with what the video is called, and nothing of a small one is sent', async () => {
    const { answer, asked } = await prepareAll([video(1_000)], [begun()]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${UPLOAD}/videos?uploadType=resumable&part=snippet%2Cstatus&notifySubscribers=true`,
      headers: {
        authorization: 'Bearer ya29.secret',
        'content-type': 'application/json; charset=UTF-8',
        'x-upload-content-type': 'video/mp4',
        'x-upload-content-length': '1000',
      },
    });
    expect(jsonOf(asked[0])).toEqual({
      snippet: { title: 'Hello 見て.', description: 'Hello 見て. More.', categoryId: '22' },
      status: { privacyStatus: 'public', selfDeclaredMadeForKids: false },
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf() });
  });

  test.each<[string, NetworkOptions, object, object]>([
    ['who sees it', { privacy: 'unlisted' }, {}, { privacyStatus: 'unlisted' }],
    ['that only its owner sees it', { privacy: 'private' }, {}, { privacyStatus: 'private' }],
    ['that it is made for kids', { madeForKids: true }, {}, { selfDeclaredMadeForKids: true }],
    ['its tags', { tags: ['a', 'b c'] }, { tags: ['a', 'b c'] }, {}],
    ['no tags', { tags: [] }, {}, {}],
    ['its category', { categoryId: '10' }, { categoryId: '10' }, {}],
    ['that it shows what looks real', { syntheticMedia: true }, {}, { containsSyntheticMedia: true }],
    ['that it shows nothing that looks real', { syntheticMedia: false }, {}, { containsSyntheticMedia: false }],
  ])('an option says %s', async (_name, options, snippet, status) => {
    const { asked } = await prepareAll([video(1_000)], [begun()], { options });
    expect(jsonOf(asked[0])).toEqual({
      snippet: { title: 'Hello 見て.', description: 'Hello 見て. More.', categoryId: '22', ...snippet },
      status: { privacyStatus: 'public', selfDeclaredMadeForKids: false, ...status },
    });
  });

  test('YouTube notifies subscribers of a video unless an option says otherwise', async () => {
    const { asked } = await prepareAll([video(1_000)], [begun()], { options: { notifySubscribers: false } });
    expect(new URL(asked[0]?.url ?? '').searchParams.get('notifySubscribers')).toBe('false');
  });

  test("the Member's title is the video's", async () => {
    const { asked } = await prepareAll([video(1_000)], [begun()], { title: 'Mine' });
    expect(jsonOf(asked[0]).snippet.title).toBe('Mine');
  });

  test('of a large video all but the last part is sent, each part a checkpoint and a multiple of 256 KiB', async () => {
    const { answer, asked, steps } = await prepareAll([video(THREE)], [begun(), has(PART), has(2 * PART)]);
    expect(rangesOf(asked)).toEqual([`bytes 0-${PART - 1}/${THREE}`, `bytes ${PART}-${2 * PART - 1}/${THREE}`]);
    expect(PART % 262_144).toBe(0);
    expect(asked[1]).toMatchObject({
      method: 'PUT',
      url: SESSION,
      headers: { 'content-type': 'video/mp4', 'content-length': String(PART) },
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf3({ from: 2 * PART }) });
    expect(steps).toBe(4);
  });

  test('a video that is exactly two parts long keeps the second for the end', async () => {
    const { answer, asked } = await prepareAll([video(2 * PART)], [begun(), has(PART)]);
    expect(asked).toHaveLength(2);
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf({ bytes: 2 * PART, from: PART }) });
  });

  test.each<[string, Scripted, object]>([
    [
      'a title that is refused',
      refusal(400, 'invalidTitle'),
      { failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
    [
      'a quota that is spent',
      refusal(403, 'quotaExceeded'),
      { failure: { reason: 'rate_limited', retry: 'later', delayMs: 20 * 3_600_000 } },
    ],
    ['a lost answer', { cut: 'after' }, { failure: TROUBLE }],
    ['trouble', nothing(503), { failure: TROUBLE }],
    ['an answer without an address', begun(null), { failure: TROUBLE }],
    [
      "somebody else's address",
      begun('https://evil.test/upload?upload_id=1'),
      { failure: { reason: 'platform_problem', retry: 'never' } },
    ],
    ['an address of another scheme', begun('http://www.googleapis.com/upload'), { failure: { retry: 'never' } }],
  ])('%s leaves nothing behind', async (_name, scripted, expected) => {
    expect((await prepareAll([video(1_000)], [scripted])).answer).toMatchObject({
      kind: 'failed',
      handle: null,
      ...expected,
    });
  });

  test.each<[string, Partial<Publication>, string]>([
    ['pictures', { media: [{ ...video(10), kind: 'image', contentType: 'image/jpeg' }] }, 'media_problem'],
    ['no file', { media: [] }, 'media_problem'],
    ['a Story', { placement: 'story' }, 'media_problem'],
    ['nothing to call it', { text: ' \n', title: null }, 'rejected_by_platform'],
  ])('%s asks nobody', async (_name, more, reason) => {
    const { answer, asked } = await prepareAll([video(10)], [], more);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason, retry: 'never' } });
    expect(asked).toHaveLength(0);
  });
});

describe('sending', () => {
  const prepare = async (
    script: readonly ScriptedStep[],
    more: object = {},
    about: Partial<Publication> = {},
    file: Partial<Rendition> = {},
  ) => {
    const { publication, asked } = work([video(THREE, file)], script, about);
    return { answer: await adapter.prepare(publication, handleOf3(more)), asked };
  };

  test.each<[string, readonly ScriptedStep[], object, object]>([
    [
      'less kept than was sent',
      [has(PART / 2)],
      {},
      { kind: 'wait', delayMs: 0, handle: handleOf3({ from: PART / 2 }) },
    ],
    ['nothing kept', [has(0)], { from: PART }, { kind: 'wait', handle: handleOf3({ from: 0, corrections: 1 }) }],
    ['nothing kept, again and again', [has(0)], { corrections: 3 }, { kind: 'failed', handle: null, failure: TROUBLE }],
    ['a lost answer', [{ cut: 'after' }], {}, { kind: 'failed', handle: handleOf3({ toldAt: 0 }), failure: TROUBLE }],
    ['trouble', [nothing(503)], {}, { kind: 'failed', handle: handleOf3({ toldAt: 0 }), failure: TROUBLE }],
    [
      'a dead token',
      [refusal(401, 'authError')],
      {},
      { kind: 'failed', handle: handleOf3({ toldAt: 0 }), failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
    [
      'a limit',
      [nothing(429)],
      {},
      { kind: 'failed', handle: handleOf3({ toldAt: 0 }), failure: { reason: 'rate_limited', retry: 'later' } },
    ],
    ['a session that is gone', [nothing(404)], {}, { kind: 'failed', handle: null, failure: TROUBLE }],
    ['a session that is over', [nothing(410)], {}, { kind: 'failed', handle: null, failure: TROUBLE }],
    ['a wrong place', [nothing(400), has(PART)], {}, { kind: 'wait', handle: handleOf3({ from: PART }) }],
    [
      'a wrong place that is right',
      [nothing(400), has(0)],
      {},
      { kind: 'failed', failure: { reason: 'platform_problem', retry: 'once' } },
    ],
    [
      'a session that has it all',
      [whole()],
      {},
      { kind: 'ready', handle: handleOf3({ video: 'vid1', privacy: 'public' }) },
    ],
  ])('%s', async (_name, script, more, expected) => {
    const { answer } = await prepare(script, more);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer.summary)).not.toMatch(/hushhush|ya29/);
  });

  test.each<[string, object, Partial<Publication>]>([
    ['a worker that died a while ago', {}, { now: NOW + 61_000 }],
    ['a part whose answer was lost', { toldAt: 0 }, {}],
  ])('after %s the session is asked how far it came, without a byte', async (_name, more, about) => {
    const { answer, asked } = await prepare([has(PART)], more, about);
    expect(asked[0]).toMatchObject({
      method: 'PUT',
      url: SESSION,
      headers: { 'content-length': '0', 'content-range': `bytes */${THREE}` },
    });
    expect(asked[0]?.body).toBeUndefined();
    expect(answer).toMatchObject({
      kind: 'wait',
      delayMs: 0,
      handle: handleOf3({ from: PART, toldAt: about.now ?? NOW }),
    });
  });

  test.each<[string, readonly ScriptedStep[], object, Partial<Publication>, object]>([
    [
      'is gone: another is begun',
      [nothing(404), begun('https://www.googleapis.com/other')],
      { toldAt: 0 },
      {},
      { kind: 'wait', handle: handleOf3({ session: 'https://www.googleapis.com/other' }) },
    ],
    [
      'is a day old: another is begun',
      [has(PART), begun()],
      { toldAt: 0, since: NOW - 86_400_001 },
      {},
      { kind: 'wait', handle: handleOf3() },
    ],
    [
      'has it all: nothing more is sent',
      [whole(200)],
      { toldAt: 0 },
      {},
      { kind: 'ready', handle: handleOf3({ toldAt: 0, video: 'vid1', privacy: 'public' }) },
    ],
    [
      'can not be asked',
      [nothing(500)],
      { toldAt: 0 },
      {},
      { kind: 'failed', handle: handleOf3({ toldAt: 0 }), failure: TROUBLE },
    ],
    [
      'may not be asked',
      [refusal(401, 'authError')],
      { toldAt: 0 },
      {},
      { kind: 'failed', failure: { retry: 'refresh' } },
    ],
  ])('a session that %s', async (_name, script, more, about, expected) => {
    expect((await prepare(script, more, about)).answer).toMatchObject(expected);
  });

  test('a file that was made anew needs a session of its own', async () => {
    const { answer, asked } = await prepare([begun()], { from: PART }, {}, { sha256: 'v2' });
    expect(pathsOf(asked)).toEqual(['POST /upload/youtube/v3/videos']);
    expect(answer).toMatchObject({ kind: 'wait', handle: handleOf3({ file: 'v2' }) });
  });

  test('what is all there needs nothing', async () => {
    expect(await prepare([], { video: 'vid1' })).toMatchObject({ answer: { kind: 'ready' }, asked: [] });
  });

  test('a handle that is not ours is no handle', async () => {
    const { publication } = work([video(1_000)], [begun()]);
    expect(await adapter.prepare(publication, '{"session":1}')).toMatchObject({ kind: 'ready', handle: handleOf() });
  });
});

describe('publishing', () => {
  const publish = async (script: readonly ScriptedStep[], more: object = {}, about: Partial<Publication> = {}) => {
    const { publication, asked } = work([video(THREE)], script, about);
    return { answer: await adapter.publish(publication, handleOf3({ from: 2 * PART, ...more })), asked };
  };

  test('the last part goes, and the video has a name from then on', async () => {
    const { answer, asked } = await publish([whole()]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'PUT',
      url: SESSION,
      timeoutMs: 40_000,
      headers: { 'content-range': `bytes ${2 * PART}-${THREE - 1}/${THREE}`, 'content-length': '5' },
    });
    expect(answer).toMatchObject({
      kind: 'accepted',
      delayMs: 5_000,
      handle: handleOf3({ from: THREE, video: 'vid1', privacy: 'public' }),
    });
  });

  test.each<[string, readonly ScriptedStep[], object]>([
    ['200 instead of 201', [whole(200)], { kind: 'accepted' }],
    ['no connection', [{ cut: 'before' }], { kind: 'failed', failure: TROUBLE }],
    ['a lost answer', [{ cut: 'after' }], { kind: 'unknown' }],
    ['trouble', [nothing(503)], { kind: 'unknown' }],
    ['a success that names nothing', [whole(201, null)], { kind: 'unknown' }],
    [
      'a part of it kept',
      [has(2 * PART + 2)],
      { kind: 'failed', failure: TROUBLE, handle: handleOf3({ from: 2 * PART + 2 }) },
    ],
    [
      'nothing of it kept',
      [has(2 * PART)],
      { kind: 'failed', failure: TROUBLE, handle: handleOf3({ from: 2 * PART, corrections: 1 }) },
    ],
    ['all of it kept, and no word of a video', [has(THREE)], { kind: 'unknown' }],
    ['a place that makes no sense', [{ status: 308, headers: { range: 'lots' }, body: '' }], { kind: 'unknown' }],
    ['a session that is gone', [nothing(404)], { kind: 'failed', failure: TROUBLE, handle: null }],
    [
      'a dead token',
      [refusal(401, 'authError')],
      {
        kind: 'failed',
        failure: { reason: 'needs_reconnect', retry: 'refresh' },
        handle: handleOf3({ from: 2 * PART, toldAt: 0 }),
      },
    ],
    [
      'a dead token, in no words',
      [nothing(401)],
      {
        kind: 'failed',
        failure: { reason: 'needs_reconnect', retry: 'refresh' },
        handle: handleOf3({ from: 2 * PART, toldAt: 0 }),
      },
    ],
    [
      'a permission that was taken away',
      [refusal(403, 'insufficientPermissions')],
      {
        kind: 'failed',
        failure: { reason: 'needs_reconnect', retry: 'afterReconnect' },
        handle: handleOf3({ from: 2 * PART, toldAt: 0 }),
      },
    ],
    [
      'a spent quota',
      [refusal(403, 'quotaExceeded')],
      { kind: 'failed', failure: { reason: 'rate_limited' }, handle: handleOf3({ from: 2 * PART, toldAt: 0 }) },
    ],
    ['a limit that may be a proxy’s', [nothing(429)], { kind: 'unknown', ifAbsent: { reason: 'rate_limited' } }],
    [
      'a refusal in no words',
      [nothing(400)],
      { kind: 'unknown', ifAbsent: { reason: 'platform_problem', retry: 'once' } },
    ],
    ['a time-out of a proxy', [nothing(408)], { kind: 'unknown' }],
  ])('%s', async (_name, script, expected) => {
    const { answer, asked } = await publish(script);
    expect(answer).toMatchObject(expected);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(answer.summary)).not.toMatch(/hushhush|ya29/);
  });

  test.each<[string, object, object]>([
    [
      'with a name is accepted',
      { video: 'vid1' },
      { kind: 'accepted', handle: handleOf3({ from: THREE, video: 'vid1' }) },
    ],
    ['without a name is asked about', { from: THREE }, { kind: 'unknown' }],
  ])('what is all there %s, and nothing is sent', async (_name, more, expected) => {
    const { answer, asked } = await publish([], more);
    expect(answer).toMatchObject(expected);
    expect(asked).toHaveLength(0);
  });

  test('a video that came to be under a refused token is not sent again', async () => {
    const { answer } = await publish([nothing(401)]);
    const handle = answer.kind === 'failed' ? (answer.handle ?? null) : null;
    const { publication, asked } = work([video(THREE)], [whole(200)]);
    expect(await adapter.prepare(publication, handle)).toMatchObject({
      kind: 'ready',
      handle: expect.stringContaining('"video":"vid1"'),
    });
    expect(rangesOf(asked)).toEqual([`bytes */${THREE}`]);
  });

  test('who sees the video, as the answer says, is kept with its name', async () => {
    const { answer } = await publish([whole(201, 'vid1', 'private')]);
    expect(answer).toMatchObject({ kind: 'accepted', handle: expect.stringContaining('"privacy":"private"') });
  });

  test.each<[string, Partial<Publication>]>([
    ['is gone', { media: [] }],
    ['is another', { media: [video(THREE, { sha256: 'v2' })] }],
    [
      'can not be read',
      { media: [video(THREE, { read: () => Promise.reject(new PortError('unavailable', 'away')) })] },
    ],
  ])('a file that %s sends nothing', async (_name, about) => {
    const { answer, asked } = await publish([], {}, about);
    expect(answer).toMatchObject({ kind: 'failed', failure: TROUBLE });
    expect(asked).toHaveLength(0);
  });

  test('publishing what was not prepared is a programming error', async () => {
    await expect(adapter.publish(work([video(THREE)], []).publication, null)).rejects.toThrow();
    await expect(adapter.publish(work([video(THREE)], []).publication, handleOf3())).rejects.toThrow();
  });
});
