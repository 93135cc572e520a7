import { describe, expect, test } from 'vitest';
import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { createInstagramAdapter } from './adapter.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const GRAPH = 'https://ig.test/v25.0';
const adapter = createInstagramAdapter({
  api: 'https://ig.test',
  authorize: 'a',
  site: 's',
  hosts: { facebook: 'https://fb.test/v26.0' },
  clientId: 'c',
  clientSecret: 's',
});

const image = (name: string, more: Partial<Rendition> = {}) =>
  renditionOf(new Uint8Array(10), { kind: 'image', contentType: 'image/jpeg', sha256: name, ...more });
const video = (name: string, more: Partial<Rendition> = {}) => ({
  ...renditionOf(new Uint8Array(10), { kind: 'video', contentType: 'video/mp4', sha256: name }),
  ...more,
});
const id = (value: string) => jsonAnswer(200, { id: value });
const container = (code: string, status?: string) => jsonAnswer(200, { id: 'c1', status_code: code, status });
const refusal = (status: number, code: number, subcode?: number) =>
  jsonAnswer(status, { error: { message: 'm', code, ...(subcode === undefined ? {} : { error_subcode: subcode }) } });
const quota = (usage: number, total = 100) =>
  jsonAnswer(200, { data: [{ quota_usage: usage, config: { quota_total: total, quota_duration: 86_400 } }] });
const handleOf = (more: object = {}) =>
  JSON.stringify({ children: [], finished: 0, container: 'c1', unseen: 0, since: ARMED_AT, ...more });
const fieldsOf = (request: HttpRequest | undefined) => Object.fromEntries(new URLSearchParams(String(request?.body)));

function work(media: readonly Rendition[], script: readonly Scripted[], more: Partial<Publication> = {}) {
  const network = scriptedNetwork(...script);
  return {
    publication: publicationOf({
      http: network.http,
      accountId: '178',
      text: 'Hello & 見て',
      media,
      now: ARMED_AT,
      ...more,
    }),
    asked: network.asked,
  };
}

async function prepareAll(
  media: readonly Rendition[],
  script: readonly Scripted[],
  more: Partial<Publication> = {},
  from: string | null = null,
) {
  const { publication, asked } = work(media, script, more);
  const { answer } = await prepareOn(adapter, publication, from, 100);
  return { answer, asked };
}

describe('preparing', () => {
  test.each<[string, Rendition, Partial<Publication>, object]>([
    [
      'a picture',
      image('a', { altText: 'a cat' }),
      {},
      { image_url: 'https://media.test/a', caption: 'Hello & 見て', alt_text: 'a cat' },
    ],
    ['a picture without words', image('a'), { text: '' }, { image_url: 'https://media.test/a' }],
    [
      'a reel',
      video('v', { altText: 'a cat' }),
      {},
      { media_type: 'REELS', video_url: 'https://media.test/v', caption: 'Hello & 見て', share_to_feed: 'true' },
    ],
    [
      'a Story of a picture',
      image('a', { altText: 'a cat' }),
      { placement: 'story' },
      { media_type: 'STORIES', image_url: 'https://media.test/a' },
    ],
    [
      'a Story of a video',
      video('v'),
      { placement: 'story' },
      { media_type: 'STORIES', video_url: 'https://media.test/v' },
    ],
  ])('%s is one container, ready when it is finished and the quota has room', async (_name, file, more, fields) => {
    const { answer, asked } = await prepareAll([file], [id('c1'), container('FINISHED'), quota(99)], more);
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf() });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${GRAPH}/178/media`,
      headers: { authorization: 'Bearer token-1' },
    });
    expect(fieldsOf(asked[0])).toEqual(fields);
    expect(asked[1]?.url).toBe(`${GRAPH}/c1?fields=status_code,status`);
    expect(asked[2]?.url).toBe(`${GRAPH}/178/content_publishing_limit?fields=quota_usage,config`);
  });

  test('a carousel is made of its files, each waited for before the whole is made', async () => {
    const files = [image('a', { altText: 'a cat' }), video('v')];
    const begun = await prepareAll(files, [id('k1'), id('k2'), container('FINISHED'), container('IN_PROGRESS')]);
    expect(begun.answer).toMatchObject({
      kind: 'wait',
      delayMs: 10_000,
      handle: expect.stringContaining('"finished":1'),
    });
    expect(begun.asked.slice(0, 2).map(fieldsOf)).toEqual([
      { is_carousel_item: 'true', alt_text: 'a cat', image_url: 'https://media.test/a' },
      { is_carousel_item: 'true', media_type: 'VIDEO', video_url: 'https://media.test/v' },
    ]);
    const { answer, asked } = await prepareAll(
      files,
      [container('FINISHED'), id('c1'), container('FINISHED'), quota(0)],
      {},
      begun.answer.kind === 'wait' ? begun.answer.handle : '',
    );
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf({ children: ['k1', 'k2'], finished: 2 }) });
    expect(asked[0]?.url).toContain('/k2?');
    expect(fieldsOf(asked[1])).toEqual({ media_type: 'CAROUSEL', children: 'k1,k2', caption: 'Hello & 見て' });
  });

  test.each<[string, readonly Scripted[], object]>([
    ['one in progress is waited for', [container('IN_PROGRESS')], { kind: 'wait', handle: handleOf(), delayMs: 3_000 }],
    [
      'one that is published already is handed on, whatever the quota',
      [container('PUBLISHED')],
      { kind: 'ready', handle: handleOf() },
    ],
    [
      'one in error is left',
      [container('ERROR', 'Error: Media upload has failed with error code 2207026')],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'one that expired at once is trouble',
      [container('EXPIRED')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a spent quota is waited for, with the container kept',
      [container('FINISHED'), quota(50, 50)],
      { kind: 'failed', handle: handleOf(), failure: { reason: 'rate_limited', retry: 'later', delayMs: 1_800_000 } },
    ],
    ['a quota that can not be read is none', [container('FINISHED'), refusal(500, 1)], { kind: 'ready' }],
    [
      'one that can not be seen is looked at again',
      [refusal(400, 100, 33)],
      { kind: 'wait', handle: handleOf({ unseen: 1 }), delayMs: 3_000 },
    ],
    ['trouble keeps it', [{ cut: 'after' }], { kind: 'wait', handle: handleOf(), delayMs: 5_000 }],
    [
      'a dead token is reported',
      [refusal(400, 190)],
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
  ])('%s', async (_name, script, expected) => {
    expect((await prepareAll([image('a')], script, {}, handleOf())).answer).toMatchObject(expected);
  });

  test('one that can not be seen three times is published at a venture: Instagram refuses what is not ready', async () => {
    const { answer } = await prepareAll([image('a')], [refusal(400, 100, 33), quota(0)], {}, handleOf({ unseen: 2 }));
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf() });
  });

  test('one that expired while it lay is made anew', async () => {
    const { answer } = await prepareAll(
      [image('a')],
      [container('EXPIRED'), id('c2'), container('FINISHED'), quota(0)],
      { now: ARMED_AT + 86_400_000 },
      handleOf(),
    );
    expect(answer).toMatchObject({ kind: 'ready', handle: expect.stringContaining('c2') });
  });

  test('one in progress for half an hour is given up', async () => {
    const { answer } = await prepareAll(
      [image('a')],
      [container('IN_PROGRESS')],
      { now: ARMED_AT + 1_800_001 },
      handleOf(),
    );
    expect(answer).toMatchObject({
      kind: 'failed',
      handle: null,
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  test('a carousel whose parts are gone is begun anew', async () => {
    const { answer } = await prepareAll(
      [image('a'), image('b')],
      [refusal(400, 24, 2207006)],
      {},
      handleOf({ children: ['k1', 'k2'], finished: 2, container: null }),
    );
    expect(answer).toMatchObject({
      kind: 'failed',
      handle: null,
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  test.each<[string, readonly Rendition[], Partial<Publication>]>([
    ['nothing', [], {}],
    ['eleven files', Array.from({ length: 11 }, (_, index) => image(`p${index}`)), {}],
    ['a Story of two', [image('a'), image('b')], { placement: 'story' }],
    ['a picture of 8 MB and a byte', [{ ...image('a'), bytes: 8_000_001 }], {}],
    ['a reel of 15 minutes and a bit', [video('v', { durationMs: 900_001 })], {}],
    ['a reel of 300 MB and a byte', [video('v', { bytes: 300_000_001 })], {}],
    ['a carousel with a video of a minute and a bit', [image('a'), video('v', { durationMs: 60_001 })], {}],
    ['a Story of 100 MB and a byte', [video('v', { bytes: 100_000_001 })], { placement: 'story' }],
    ['a Story that is too short', [video('v', { durationMs: 2_999 })], { placement: 'story' }],
  ])('%s is refused without asking', async (_name, media, more) => {
    const { answer, asked } = await prepareAll(media, [], more);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
    expect(asked).toHaveLength(0);
  });

  test('an account that came by Facebook Login is served by Facebook', async () => {
    const { asked } = await prepareAll([image('a')], [id('c1'), container('FINISHED'), quota(0)], {
      accountFacts: { login: 'facebook' },
    });
    expect(asked.map(({ url }) => new URL(url).origin + new URL(url).pathname)).toEqual([
      'https://fb.test/v26.0/178/media',
      'https://fb.test/v26.0/c1',
      'https://fb.test/v26.0/178/content_publishing_limit',
    ]);
  });

  test('calls pause before Instagram throttles them', async () => {
    const { answer } = await prepareAll(
      [image('a')],
      [jsonAnswer(200, { status_code: 'IN_PROGRESS' }, { 'x-app-usage': '{"call_count":97}' })],
      {},
      handleOf(),
    );
    expect(answer.summary.pause).toEqual({ scope: 'app', forMs: 300_000 });
  });
});

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const { publication, asked } = work([image('a')], script);
    return { answer: await adapter.publish(publication, handleOf()), asked };
  };

  test('the container goes live, and its permalink is looked up', async () => {
    const { answer, asked } = await publish(
      jsonAnswer(200, { id: 'm1' }),
      jsonAnswer(200, { id: 'm1', permalink: 'https://www.instagram.com/p/x/' }),
    );
    expect(answer).toMatchObject({ kind: 'published', remoteId: 'm1', permalink: 'https://www.instagram.com/p/x/' });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${GRAPH}/178/media_publish`,
      body: 'creation_id=c1',
      timeoutMs: 20_000,
    });
  });

  test('an id beyond 2^53 is kept exactly', async () => {
    const { answer } = await publish(
      { status: 200, headers: {}, body: '{"id":17895695668004550123}' },
      { cut: 'after' },
    );
    expect(answer).toMatchObject({ kind: 'published', remoteId: '17895695668004550123', permalink: null });
  });

  test.each<[string, Scripted, object]>([
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['trouble', refusal(500, 1), { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } }],
    [
      'not ready, or published before',
      refusal(400, 9007, 2207027),
      { kind: 'unknown', ifAbsent: { retry: 'later', delayMs: 10_000 } },
    ],
    [
      'not found, or published before',
      refusal(400, 24, 2207006),
      { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } },
    ],
    ['an answer without an id', jsonAnswer(200, {}), { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } }],
    [
      'the posts of a day',
      refusal(400, 9, 2207042),
      { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later' } },
    ],
    ['a dead token', refusal(400, 190), { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
    ['a token that expired', refusal(400, 463), { kind: 'failed', failure: { retry: 'refresh' } }],
    ['a token that was ended', refusal(400, 467), { kind: 'failed', failure: { retry: 'refresh' } }],
    ['a session that was ended', refusal(401, 102), { kind: 'failed', failure: { retry: 'refresh' } }],
    ['a dead token, as a server error', refusal(500, 190), { kind: 'unknown', ifAbsent: { retry: 'refresh' } }],
    ['no permission, as a server error', refusal(500, 10), { kind: 'unknown', ifAbsent: { retry: 'afterReconnect' } }],
    [
      'spam, which Instagram said of posts that went live',
      refusal(400, 4, 2207051),
      { kind: 'unknown', ifAbsent: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
  ])('%s', async (_name, scripted, expected) => {
    const { answer, asked } = await publish(scripted);
    expect(answer).toMatchObject(expected);
    expect(asked).toHaveLength(1);
  });

  test('publishing without a container is a programming error', async () => {
    await expect(adapter.publish(work([], []).publication, handleOf({ container: null }))).rejects.toThrow();
  });
});

describe('reconciling by the container', () => {
  const reconcile = async (
    asked: number,
    afterMs: number,
    script: readonly Scripted[],
    more: Partial<Publication> = {},
  ) => {
    const worked = work([], script, { now: ARMED_AT + afterMs, ...more });
    return {
      answer: await adapter.reconcile(worked.publication, { handle: handleOf(), armedAt: ARMED_AT, asked }),
      asked: worked.asked,
    };
  };
  const listed = (...media: object[]) => jsonAnswer(200, { data: media });
  const own = (mediaId: string, more: object = {}) => ({
    id: mediaId,
    caption: 'Hello & 見て ',
    permalink: `https://i/${mediaId}`,
    timestamp: '2026-11-20T12:00:01+0000',
    ...more,
  });

  test.each<[string, number, number, readonly Scripted[], object]>([
    [
      'published and listed',
      0,
      1,
      [container('PUBLISHED'), listed(own('m8', { caption: 'other' }), own('m9'))],
      { kind: 'published', remoteId: 'm9', permalink: 'https://i/m9' },
    ],
    [
      'published, an older twin beside it',
      0,
      1,
      [container('PUBLISHED'), listed(own('m9'), own('m1', { timestamp: '2026-11-20T11:58:00+0000' }))],
      { kind: 'published', remoteId: 'm9' },
    ],
    ['published, not listed yet', 0, 1, [container('PUBLISHED'), listed()], { kind: 'processing', delayMs: 5_000 }],
    [
      'published, never listed',
      4,
      1,
      [container('PUBLISHED'), listed()],
      { kind: 'published', remoteId: 'c1', permalink: null },
    ],
    [
      'published, listed twice',
      0,
      1,
      [container('PUBLISHED'), listed(own('m8'), own('m9'))],
      { kind: 'published', remoteId: 'c1', permalink: null },
    ],
    ['finished, at the first look', 0, 70_000, [container('FINISHED')], { kind: 'unknown', delayMs: 30_000 }],
    ['finished, too soon', 1, 29_999, [container('FINISHED')], { kind: 'unknown' }],
    ['finished, still', 1, 30_000, [container('FINISHED')], { kind: 'absent' }],
    ['in progress', 0, 1, [container('IN_PROGRESS')], { kind: 'processing', delayMs: 10_000 }],
    [
      'in progress for ever',
      8,
      900_000,
      [container('IN_PROGRESS')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'in error',
      0,
      1,
      [container('ERROR', 'error code 2207026')],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'expired',
      0,
      1,
      [container('EXPIRED')],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    ['not to be seen, at first', 0, 1, [refusal(400, 100, 33)], { kind: 'unknown', delayMs: 5_000 }],
    [
      'not to be seen, but in the list',
      3,
      1,
      [refusal(400, 100, 33), listed(own('m9'))],
      { kind: 'published', remoteId: 'm9' },
    ],
    ['not to be seen, nor in the list', 3, 1, [refusal(400, 100, 33), listed()], { kind: 'unknown', delayMs: 40_000 }],
    [
      'not to be seen, twice in the list',
      3,
      1,
      [refusal(400, 100, 33), listed(own('m8'), own('m9'))],
      { kind: 'unknown', delayMs: null },
    ],
    ['not to be seen, for ever', 8, 900_000, [refusal(400, 100, 33), listed()], { kind: 'unknown', delayMs: null }],
    ['behind a dead token', 5, 1, [refusal(400, 190)], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, 1, [refusal(400, 4)], { kind: 'unknown', delayMs: 600_000 }],
    ['behind a lost answer', 0, 1, [{ cut: 'after' }], { kind: 'unknown', delayMs: 5_000 }],
  ])('%s', async (_name, asked, afterMs, script, expected) => {
    expect((await reconcile(asked, afterMs, script)).answer).toMatchObject(expected);
  });

  test('a Story that is published is looked for among Stories', async () => {
    const { answer, asked } = await reconcile(
      0,
      1,
      [container('PUBLISHED'), listed(own('m9', { caption: undefined }))],
      { placement: 'story' },
    );
    expect(answer).toMatchObject({ kind: 'published', remoteId: 'm9' });
    expect(asked[1]?.url).toContain(`${GRAPH}/178/stories?`);
  });

  test.each<Partial<Publication>>([{ placement: 'story' }, { text: '' }])(
    'what nothing tells from others is not looked for: %j',
    async (more) => {
      const { answer, asked } = await reconcile(5, 1, [refusal(400, 100, 33)], more);
      expect(answer.kind).toBe('unknown');
      expect(asked).toHaveLength(1);
    },
  );

  test('a handle that can not be read ends as unknown', async () => {
    expect(
      await adapter.reconcile(work([], []).publication, { handle: 'c1', armedAt: ARMED_AT, asked: 0 }),
    ).toMatchObject({ kind: 'unknown', delayMs: null });
  });
});
