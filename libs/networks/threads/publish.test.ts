import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { createThreadsAdapter } from './adapter.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const adapter = createThreadsAdapter({
  api: 'https://threads.test',
  authorize: 'https://threads.test/a',
  site: 'https://threads.test',
  hosts: {},
  clientId: 'c',
  clientSecret: 's',
});

function publicationOn(http: Publication['http'], more: Partial<Publication> = {}): Publication {
  return publicationOf({
    http,
    accessToken: 'token-1',
    accountId: '178',
    username: 'ada',
    placement: 'feed',
    text: 'Hello & 見て',
    now: ARMED_AT,
    ...more,
  });
}

const id = (value: string) => jsonAnswer(200, { id: value });
const container = (status: string, more: object = {}) => jsonAnswer(200, { id: 'c1', status, ...more });
const refused = (status: number, code: number, subcode?: number) =>
  jsonAnswer(status, { error: { message: 'm', code, ...(subcode === undefined ? {} : { error_subcode: subcode }) } });
const listed = (...posts: object[]) => jsonAnswer(200, { data: posts });
const own = (postId: string, text = 'Hello & 見て', more: object = {}) => ({
  id: postId,
  text,
  media_type: 'TEXT_POST',
  permalink: `https://t/${postId}`,
  timestamp: '2026-11-20T12:00:01+0000',
  ...more,
});

const image = (name: string, more: Partial<Rendition> = {}) => ({
  ...renditionOf(new Uint8Array(10), { kind: 'image', contentType: 'image/jpeg', sha256: name }),
  ...more,
});
const video = (name: string, more: Partial<Rendition> = {}) => ({
  ...renditionOf(new Uint8Array(10), { kind: 'video', contentType: 'video/mp4', sha256: name }),
  ...more,
});
const handleOf = (more: object = {}) =>
  JSON.stringify({ version: 1, kind: 'TEXT', children: [], finished: 0, container: 'c1', since: ARMED_AT, ...more });
/** Of a container that preparing just saw ready. */
const readyOf = (more: object = {}) => handleOf({ ...more, readyAt: ARMED_AT });
const fieldsOf = (request: HttpRequest | undefined) => Object.fromEntries(new URLSearchParams(String(request?.body)));

/** What prepare comes to when every checkpoint is kept and gone on from at once. */
async function prepare(handle: string | null, script: readonly Scripted[], more: Partial<Publication> = {}) {
  const network = scriptedNetwork(...script);
  const publication = publicationOn(network.http, more);
  const { answer } = await prepareOn(adapter, publication, handle, 100);
  return { answer, asked: network.asked };
}

describe('preparing a text', () => {
  test('a container is made without being published, and is ready when it is finished', async () => {
    const { answer, asked } = await prepare(null, [id('c1'), container('FINISHED')]);
    expect(answer).toMatchObject({ kind: 'ready', handle: readyOf() });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://threads.test/v1.0/178/threads',
      headers: { authorization: 'Bearer token-1' },
    });
    expect(fieldsOf(asked[0])).toEqual({ media_type: 'TEXT', text: 'Hello & 見て' });
    expect(asked[1]?.url).toBe('https://threads.test/v1.0/c1?fields=id,status,error_message');
  });

  test.each<[string, readonly Scripted[], object]>([
    ['one in progress is waited for', [container('IN_PROGRESS')], { kind: 'wait', handle: handleOf(), delayMs: 2_000 }],
    ['one that can not be seen yet is kept', [refused(400, 100, 33)], { kind: 'wait', handle: handleOf() }],
    ['one that can not be read for trouble is kept', [{ cut: 'after' }], { kind: 'wait', handle: handleOf() }],
    [
      'one in error fails, and is left',
      [container('ERROR', { error_message: 'UNKNOWN' })],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    ['one that is published already is handed on', [container('PUBLISHED')], { kind: 'ready', handle: handleOf() }],
    [
      'one that expired at once is trouble',
      [container('EXPIRED')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a dead token is reported',
      [refused(500, 190)],
      { kind: 'failed', handle: handleOf(), failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
  ])('%s', async (_name, script, expected) => {
    expect((await prepare(handleOf(), script)).answer).toMatchObject(expected);
  });

  test('one that expired while it lay is made anew', async () => {
    const { answer } = await prepare(handleOf(), [container('EXPIRED'), id('c2'), container('FINISHED')], {
      now: ARMED_AT + 86_400_000,
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: expect.stringContaining('"container":"c2"') });
  });

  test('one in progress for half an hour is given up', async () => {
    const { answer } = await prepare(handleOf(), [container('IN_PROGRESS')], { now: ARMED_AT + 1_800_001 });
    expect(answer).toMatchObject({
      kind: 'failed',
      handle: null,
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  test.each<[string, string, object]>([
    ['still being made', 'IN_PROGRESS', { kind: 'wait', delayMs: 2_000 }],
    ['ready', 'FINISHED', { kind: 'ready', handle: readyOf({ since: null }) }],
    ['in error', 'ERROR', { kind: 'failed', handle: null }],
  ])('a handle that is a bare container is gone on with: %s', async (_name, status, expected) => {
    expect((await prepare('c1', [container(status)])).answer).toMatchObject(expected);
  });

  test.each(['{"version":2}', '{"version":1,"kind":"POEM","finished":0,"since":0}', '{'])(
    'a handle that is none starts over (%s)',
    async (handle) => {
      expect((await prepare(handle, [id('c2'), container('FINISHED')])).answer).toMatchObject({
        kind: 'ready',
        handle: readyOf({ container: 'c2' }),
      });
    },
  );

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { reason: 'platform_problem', retry: 'later' }],
    ['no permission', refused(500, 10), { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['a refused text', refused(500, 100), { reason: 'rejected_by_platform', retry: 'never' }],
    ['an answer without an id', jsonAnswer(200, {}), { reason: 'platform_problem', retry: 'later' }],
  ])('making one meets %s', async (_name, scripted, failure) => {
    expect((await prepare(null, [scripted])).answer).toMatchObject({ kind: 'failed', failure });
  });

  test('there are no Stories', async () => {
    expect(await adapter.prepare(publicationOn(scriptedNetwork().http, { placement: 'story' }), null)).toMatchObject({
      kind: 'failed',
      failure: { retry: 'never' },
    });
  });
});

describe('preparing files', () => {
  test.each<[string, Rendition, Partial<Publication>, object, object]>([
    [
      'a picture',
      image('a', { altText: 'a cat' }),
      {},
      { media_type: 'IMAGE', image_url: 'https://media.test/a', alt_text: 'a cat', text: 'Hello & 見て' },
      { kind: 'IMAGE' },
    ],
    [
      'a picture without words',
      image('a'),
      { text: '' },
      { media_type: 'IMAGE', image_url: 'https://media.test/a' },
      { kind: 'IMAGE' },
    ],
    [
      'a video',
      video('v', { altText: 'a cat' }),
      {},
      { media_type: 'VIDEO', video_url: 'https://media.test/v', alt_text: 'a cat', text: 'Hello & 見て' },
      { kind: 'VIDEO' },
    ],
  ])('%s is one container', async (_name, file, more, fields, handle) => {
    const { answer, asked } = await prepare(null, [id('c1'), container('FINISHED')], { media: [file], ...more });
    expect(answer).toMatchObject({ kind: 'ready', handle: readyOf(handle) });
    expect(fieldsOf(asked[0])).toEqual(fields);
  });

  test('a carousel is made of its files, each waited for before the whole is made', async () => {
    const media = [image('a', { altText: 'a cat' }), video('v', { altText: 'it purrs' })];
    const begun = await prepare(null, [id('k1'), id('k2'), container('FINISHED'), container('IN_PROGRESS')], { media });
    const halfway = handleOf({ kind: 'CAROUSEL', children: ['k1', 'k2'], finished: 1, container: null });
    expect(begun.answer).toMatchObject({ kind: 'wait', delayMs: 10_000, handle: halfway });
    expect(begun.asked.slice(0, 2).map(fieldsOf)).toEqual([
      { media_type: 'IMAGE', image_url: 'https://media.test/a', alt_text: 'a cat', is_carousel_item: 'true' },
      { media_type: 'VIDEO', video_url: 'https://media.test/v', alt_text: 'it purrs', is_carousel_item: 'true' },
    ]);
    const { answer, asked } = await prepare(halfway, [container('FINISHED'), id('c1'), container('FINISHED')], {
      media,
    });
    expect(answer).toMatchObject({
      kind: 'ready',
      handle: readyOf({ kind: 'CAROUSEL', children: ['k1', 'k2'], finished: 2 }),
    });
    expect(asked[0]?.url).toContain('/k2?');
    expect(fieldsOf(asked[1])).toEqual({ media_type: 'CAROUSEL', children: 'k1,k2', text: 'Hello & 見て' });
  });

  test('of twenty files fits into what is kept of an attempt', async () => {
    const long = (index: number) => id(`${10 ** 17 + index}`);
    const media = Array.from({ length: 20 }, (_, index) => image(`p${index}`));
    const { answer } = await prepare(
      null,
      [
        ...media.map((_, index) => long(index)),
        ...media.map(() => container('FINISHED')),
        long(20),
        container('FINISHED'),
      ],
      { media },
    );
    expect(answer.kind === 'ready' && (answer.handle ?? '').length).toBeLessThan(16 * 1024);
  });

  const whole = { kind: 'CAROUSEL', children: ['k1', 'k2'], finished: 2, container: null };
  test.each<[string, string | null, readonly Scripted[], object]>([
    [
      'a part that is lost keeps those before it',
      handleOf({ ...whole, children: ['k1'], finished: 0 }),
      [{ cut: 'after' }],
      {
        handle: handleOf({ ...whole, children: ['k1'], finished: 0 }),
        failure: { reason: 'platform_problem', retry: 'later' },
      },
    ],
    [
      'a part that can not be fetched',
      null,
      [refused(400, 9004, 2207052)],
      { failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'a part in error',
      handleOf({ ...whole, finished: 0 }),
      [container('ERROR', { error_message: 'INVALID_DURATION' })],
      { handle: null, failure: { reason: 'media_problem', retry: 'never' } },
    ],
    [
      'a part in unknown error',
      handleOf({ ...whole, finished: 1 }),
      [container('ERROR', { error_message: 'UNKNOWN' })],
      { handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'a whole whose parts are gone',
      handleOf(whole),
      [refused(400, 24, 4279009)],
      { handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a whole that is refused',
      handleOf(whole),
      [refused(400, 100)],
      { handle: handleOf(whole), failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
  ])('%s fails it', async (_name, from, script, expected) => {
    expect((await prepare(from, script, { media: [image('a'), image('b')] })).answer).toMatchObject({
      kind: 'failed',
      ...expected,
    });
  });

  test('parts of yesterday are made anew', async () => {
    const now = ARMED_AT + 20 * 3_600_000 + 1;
    const { asked } = await prepare(handleOf(whole), [id('k3'), refused(500, 190)], {
      media: [image('a'), image('b')],
      now,
    });
    expect(fieldsOf(asked[0])).toMatchObject({ is_carousel_item: 'true' });
  });

  test.each<[string, readonly Rendition[]]>([
    ['twenty-one files', Array.from({ length: 21 }, (_, index) => image(`p${index}`))],
    ['a picture of 8 MB and a byte', [image('a', { bytes: 8_000_001 })]],
    ['a picture as WebP', [image('a', { contentType: 'image/webp' })]],
    ['a video of 1 GB and a byte', [image('a'), video('v', { bytes: 1_000_000_001 })]],
    ['a video of 5 minutes and a bit', [video('v', { durationMs: 300_001 })]],
    ['a video as WebM', [video('v', { contentType: 'video/webm' })]],
  ])('%s is refused without asking', async (_name, media) => {
    const { answer, asked } = await prepare(null, [], { media });
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
    expect(asked).toHaveLength(0);
  });
});

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    const answer = await adapter.publish(publicationOn(network.http), handleOf());
    return { answer, asked: network.asked };
  };

  test('the container goes live, and its permalink is looked up', async () => {
    const { answer, asked } = await publish(
      id('m1'),
      jsonAnswer(200, { id: 'm1', permalink: 'https://www.threads.net/@ada/post/x' }),
    );
    expect(answer).toMatchObject({
      kind: 'published',
      remoteId: 'm1',
      permalink: 'https://www.threads.net/@ada/post/x',
    });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://threads.test/v1.0/178/threads_publish',
      body: 'creation_id=c1',
      timeoutMs: 20_000,
    });
  });

  test.each<Scripted>([{ cut: 'after' }, refused(500, 1), refused(400, 100), jsonAnswer(200, {})])(
    'a permalink that can not be had changes nothing (%j)',
    async (scripted) => {
      expect((await publish(id('m1'), scripted)).answer).toMatchObject({
        kind: 'published',
        remoteId: 'm1',
        permalink: null,
      });
    },
  );

  test.each<[string, Scripted, object | undefined]>([
    ['a lost answer', { cut: 'after' }, undefined],
    [
      'code 10, as posts that went live have met',
      refused(500, 10),
      { reason: 'needs_reconnect', retry: 'afterReconnect' },
    ],
    ['code 1', refused(500, 1), { reason: 'platform_problem', retry: 'later' }],
    ['code 190, as a server error', refused(500, 190), { reason: 'needs_reconnect', retry: 'refresh' }],
    ['no permission, refused', refused(403, 200), { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['a 401 that is not in the words of Threads', jsonAnswer(401, {}), { reason: 'needs_reconnect', retry: 'refresh' }],
    ['a limit', refused(400, 4), { reason: 'rate_limited', retry: 'later' }],
    ['spam', refused(400, 24, 2207051), { reason: 'rejected_by_platform', retry: 'never' }],
    ['media not found', refused(400, 24, 4279009), { reason: 'platform_problem', retry: 'later' }],
    ['an answer without an id', jsonAnswer(200, {}), { reason: 'platform_problem' }],
  ])('%s leaves it unknown, and says what holds if it proves absent', async (_name, scripted, ifAbsent) => {
    const { answer, asked } = await publish(scripted);
    expect(answer.kind).toBe('unknown');
    if (ifAbsent === undefined) expect(answer).not.toHaveProperty('ifAbsent');
    else expect(answer).toMatchObject({ ifAbsent });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, Scripted]>([
    ['190', refused(400, 190)],
    ['190/463', refused(400, 190, 463)],
    ['190/467', refused(401, 190, 467)],
    ['102', refused(400, 102)],
    ['463', refused(400, 463)],
    ['467', refused(400, 467)],
  ])('a token that is refused as %s certainly published nothing', async (_name, scripted) => {
    expect((await publish(scripted)).answer).toMatchObject({
      kind: 'failed',
      failure: { reason: 'needs_reconnect', retry: 'refresh' },
    });
  });

  test('a connection never made certainly published nothing', async () => {
    expect((await publish({ cut: 'before' })).answer).toMatchObject({
      kind: 'failed',
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  test('a bare container is published as well', async () => {
    const network = scriptedNetwork(id('m1'), jsonAnswer(200, {}));
    expect(await adapter.publish(publicationOn(network.http), 'c7')).toMatchObject({
      kind: 'published',
      remoteId: 'm1',
    });
    expect(network.asked[0]?.body).toBe('creation_id=c7');
  });

  test.each([null, handleOf({ container: null })])(
    'publishing without a container is a programming error (%s)',
    async (handle) => {
      await expect(adapter.publish(publicationOn(scriptedNetwork().http), handle)).rejects.toThrow();
    },
  );
});

describe('reconciling by the container', () => {
  const reconcileBy = async (
    handle: string | null,
    asked: number,
    script: readonly Scripted[],
    more: Partial<Publication> = {},
  ) => {
    const network = scriptedNetwork(...script);
    const publication = publicationOn(network.http, { now: ARMED_AT + 70_000, ...more });
    return adapter.reconcile(publication, { handle, armedAt: ARMED_AT, asked });
  };
  const reconcile = (asked: number, ...script: Scripted[]) => reconcileBy('c1', asked, script);

  test.each<[string, number, readonly Scripted[], object]>([
    [
      'published and listed',
      0,
      [container('PUBLISHED'), listed(own('m8', 'other'), own('m9'))],
      { kind: 'published', remoteId: 'm9', permalink: 'https://t/m9' },
    ],
    ['published, not listed yet', 0, [container('PUBLISHED'), listed()], { kind: 'unknown', delayMs: 5_000 }],
    [
      'published, never listed',
      4,
      [container('PUBLISHED'), listed()],
      { kind: 'published', remoteId: 'c1', permalink: null },
    ],
    [
      'published, listed twice',
      0,
      [container('PUBLISHED'), listed(own('m8'), own('m9'))],
      { kind: 'published', remoteId: 'c1', permalink: null },
    ],
    [
      'published, an older twin beside it',
      0,
      [container('PUBLISHED'), listed(own('m9'), own('m1', undefined, { timestamp: '2026-11-20T10:00:00+0000' }))],
      { kind: 'published', remoteId: 'm9' },
    ],
    ['in progress', 0, [container('IN_PROGRESS')], { kind: 'unknown', delayMs: 5_000 }],
    [
      'expired',
      0,
      [container('EXPIRED')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'in error',
      0,
      [container('ERROR', { error_message: 'INVALID_DURATION' })],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem' } },
    ],
    ['not to be seen, at first', 0, [refused(400, 100, 33)], { kind: 'unknown', delayMs: 5_000 }],
    [
      'not to be seen, but in the list',
      3,
      [refused(400, 100, 33), listed(own('m9'))],
      { kind: 'published', remoteId: 'm9' },
    ],
    [
      'not to be seen, nor in the list',
      3,
      [refused(400, 100, 33), listed()],
      { kind: 'unknown', delayMs: expect.any(Number) },
    ],
    [
      'not to be seen, twice in the list',
      3,
      [refused(400, 100, 33), listed(own('m8'), own('m9'))],
      { kind: 'unknown', delayMs: null },
    ],
    ['behind a dead token', 5, [refused(500, 190)], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, [refused(400, 4)], { kind: 'unknown', delayMs: 600_000 }],
    ['behind a lost answer', 0, [{ cut: 'after' }], { kind: 'unknown', delayMs: 5_000 }],
  ])('%s', async (_name, asked, script, expected) => {
    expect(await reconcile(asked, ...script)).toMatchObject(expected);
  });

  test.each<[string, number, number, object]>([
    ['at the first look, however late', 0, 70_000, { kind: 'unknown', delayMs: 30_000 }],
    ['at a second look that came too soon', 1, 29_999, { kind: 'unknown', delayMs: 30_000 }],
    ['at a second look, 30 seconds later', 1, 30_000, { kind: 'absent' }],
  ])('a container that is finished proves absence only if it stays so: %s', async (_name, asked, afterMs, expected) => {
    const more = { now: ARMED_AT + afterMs };
    expect(await reconcileBy('c1', asked, [container('FINISHED')], more)).toMatchObject(expected);
  });

  const carousel = handleOf({ kind: 'CAROUSEL', children: ['k1', 'k2'], finished: 2 });
  const of = (...children: string[]) => ({
    media_type: 'CAROUSEL_ALBUM',
    children: { data: children.map((child) => ({ id: child })) },
  });
  const hidden = refused(400, 100, 33);
  test.each<[string, string, string, readonly Scripted[], object]>([
    [
      'a picture, listed as one',
      handleOf({ kind: 'IMAGE' }),
      'Hi',
      [container('PUBLISHED'), listed(own('m8', 'Hi'), own('m9', 'Hi', { media_type: 'IMAGE' }))],
      { kind: 'published', remoteId: 'm9' },
    ],
    [
      'a picture without words, published',
      handleOf({ kind: 'IMAGE' }),
      '',
      [container('PUBLISHED'), listed(own('m9', '', { media_type: 'IMAGE' }))],
      { kind: 'published', remoteId: 'm9' },
    ],
    [
      'a picture without words, not to be seen: none like it proves it',
      handleOf({ kind: 'IMAGE' }),
      '',
      [hidden, listed(own('m9', '', { media_type: 'IMAGE' }))],
      { kind: 'unknown' },
    ],
    [
      'a carousel, told by its words and the number of its parts',
      carousel,
      'Hi',
      [hidden, listed(own('m8', 'Hi', of('p1')), own('m9', 'Hi', of('p1', 'p2')))],
      { kind: 'published', remoteId: 'm9' },
    ],
    [
      'a carousel, told by its very parts',
      carousel,
      '',
      [hidden, listed(own('m8', '', of('p1', 'p2')), own('m9', '', of('k1', 'k2')))],
      { kind: 'published', remoteId: 'm9' },
    ],
    [
      'a carousel without words, of other parts',
      carousel,
      '',
      [hidden, listed(own('m9', '', of('p1', 'p2')))],
      { kind: 'unknown' },
    ],
    [
      'a video in unknown error',
      handleOf({ kind: 'VIDEO' }),
      'Hi',
      [container('ERROR', { error_message: 'UNKNOWN' })],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
  ])('%s', async (_name, handle, text, script, expected) => {
    expect(await reconcileBy(handle, 3, script, { text })).toMatchObject(expected);
  });

  test.each([null, '{', handleOf({ container: null })])(
    'nobody can tell of a handle without a container (%s)',
    async (handle) => {
      expect(await reconcileBy(handle, 0, [])).toMatchObject({ kind: 'unknown', delayMs: null });
    },
  );
});
