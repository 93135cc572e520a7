import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { NetworkEndpoints, Publication } from '../contract/adapter.ts';
import { createXAdapter } from './adapter.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const ENDPOINTS: NetworkEndpoints = {
  api: 'https://x.test',
  authorize: 'https://x.test/a',
  site: 'https://x.com',
  hosts: {},
  clientId: 'c',
  clientSecret: 's',
};
const adapter = createXAdapter(ENDPOINTS);

function publicationOn(http: Publication['http'], more: Partial<Publication> = {}): Publication {
  return publicationOf({
    http,
    accessToken: 'token-1',
    accountId: '77',
    username: 'ada',
    placement: 'feed',
    text: 'Hello',
    now: ARMED_AT,
    ...more,
  });
}

const image = renditionOf(new Uint8Array(1), { kind: 'image', contentType: 'image/jpeg', sha256: 'a' });
const uploaded = (...media: string[]) =>
  JSON.stringify({
    version: 1,
    files: media.map((id) => ({ media: id, key: `3_${id}`, state: 'ready', sent: 1, since: ARMED_AT })),
    since: ARMED_AT,
    again: false,
  });

const created = jsonAnswer(201, { data: { id: '1346889436626259968', text: 'Hello' } });
const timeline = (...posts: object[]) =>
  jsonAnswer(200, { ...(posts.length > 0 ? { data: posts } : {}), meta: { result_count: posts.length } });

describe('publishing', () => {
  test('one request, and the post is live under its permalink', async () => {
    const network = scriptedNetwork(created);
    const answer = await adapter.publish(publicationOn(network.http), null);
    expect(answer).toMatchObject({
      kind: 'published',
      remoteId: '1346889436626259968',
      permalink: 'https://x.com/ada/status/1346889436626259968',
    });
    expect(network.asked).toEqual([
      {
        method: 'POST',
        url: 'https://x.test/2/tweets',
        headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
        body: '{"text":"Hello"}',
        timeoutMs: 20_000,
      },
    ]);
  });

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { kind: 'unknown', summary: { status: 0 } }],
    ['a 503', jsonAnswer(503, {}), { kind: 'unknown', summary: { status: 503 } }],
    ['a 201 nobody can read', { status: 201, headers: {}, body: '{"data":' }, { kind: 'unknown' }],
    ['a 201 without an id', jsonAnswer(201, { data: {} }), { kind: 'unknown' }],
    [
      'a connection never made',
      { cut: 'before' },
      { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a duplicate',
      jsonAnswer(403, { detail: 'You are not allowed to create a Tweet with duplicate content.', status: 403 }),
      { kind: 'failed', failure: { reason: 'rejected_by_platform', duplicate: true } },
    ],
  ])('%s', async (_name, scripted, expected) => {
    const network = scriptedNetwork(scripted);
    expect(await adapter.publish(publicationOn(network.http), null)).toMatchObject(expected);
    expect(network.asked).toHaveLength(1);
  });

  test.each<[string, NetworkOptions, object]>([
    ['nothing', {}, {}],
    ['that everybody may reply', { replySettings: 'everyone', madeWithAi: false }, {}],
    ['that those may reply whom the account follows', { replySettings: 'following' }, { reply_settings: 'following' }],
    ['that those may reply who are mentioned', { replySettings: 'mentioned' }, { reply_settings: 'mentionedUsers' }],
    ['that it was made with AI', { madeWithAi: true }, { made_with_ai: true }],
  ])('options that say %s', async (_name, options, more) => {
    const network = scriptedNetwork(created, created);
    await adapter.publish(publicationOn(network.http, { options }), null);
    await adapter.publish(publicationOn(network.http, { options, media: [image] }), uploaded('1'));
    expect(network.asked.map(({ body }) => JSON.parse(String(body)))).toEqual([
      { text: 'Hello', ...more },
      { text: 'Hello', media: { media_ids: ['1'] }, ...more },
    ]);
  });

  test.each<[string, Scripted, string]>([
    ['a dead token', jsonAnswer(401, { title: 'Unauthorized', status: 401 }), 'refresh'],
    ['a 401 in no words', { status: 401, headers: {}, body: '' }, 'refresh'],
    [
      'a permission that was taken away',
      jsonAnswer(403, { detail: 'Your token lacks the scope tweet.write' }),
      'afterReconnect',
    ],
    [
      'a suspended account',
      jsonAnswer(403, { errors: [{ code: 64, message: 'Your account is suspended' }] }),
      'afterReconnect',
    ],
  ])('%s proves that nothing was published, so that a person is asked at once', async (_name, scripted, retry) => {
    const answer = await adapter.publish(publicationOn(scriptedNetwork(scripted).http), null);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'needs_reconnect', retry } });
  });

  test.each<[string, string, object]>([
    ['with its text', 'Hello', { text: 'Hello', media: { media_ids: ['1', '2'] } }],
    ['without one', ' ', { media: { media_ids: ['1', '2'] } }],
  ])('files go into the post in their order, %s', async (_name, text, body) => {
    const network = scriptedNetwork(created);
    expect(
      await adapter.publish(publicationOn(network.http, { text, media: [image, image] }), uploaded('1', '2')),
    ).toMatchObject({ kind: 'published' });
    expect(JSON.parse(String(network.asked[0]?.body))).toEqual(body);
  });

  test('files that X does not know are uploaded anew, once', async () => {
    const refused = jsonAnswer(400, {
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      errors: [{ message: 'Your media IDs are invalid.' }],
    });
    const answer = await adapter.publish(
      publicationOn(scriptedNetwork(refused).http, { media: [image] }),
      uploaded('1'),
    );
    expect(answer).toMatchObject({ kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } });
  });

  test('any other refusal keeps them', async () => {
    const answer = await adapter.publish(
      publicationOn(scriptedNetwork(jsonAnswer(429, {})).http, { media: [image] }),
      uploaded('1'),
    );
    expect(answer.kind).toBe('failed');
    expect(answer).not.toHaveProperty('handle');
  });

  test.each([null, uploaded('1'), uploaded('1', '2').replace('"ready"', '"processing"')])(
    'publishing files that are not all there is a programming error (%s)',
    async (handle) => {
      await expect(
        adapter.publish(publicationOn(scriptedNetwork().http, { media: [image, image] }), handle),
      ).rejects.toThrow('uploaded');
    },
  );

  test('an echoed token is blotted out', async () => {
    const network = scriptedNetwork(jsonAnswer(403, { detail: 'bad token-1 here', status: 403 }));
    expect(JSON.stringify(await adapter.publish(publicationOn(network.http), null))).not.toContain('token-1');
  });

  test('there is nothing to prepare, and no Stories', async () => {
    const { http } = scriptedNetwork();
    expect(await adapter.prepare(publicationOn(http), null)).toMatchObject({ kind: 'ready', handle: null });
    expect(await adapter.prepare(publicationOn(http, { placement: 'story' }), null)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', retry: 'never' },
    });
  });
});

describe('reconciling by the timeline', () => {
  const reconcile = (
    scripted: readonly ScriptedStep[],
    sinceMs: number,
    text = 'Hello',
    asked = 0,
    handle: string | null = null,
  ) => {
    const network = scriptedNetwork(...scripted);
    const publication = publicationOn(network.http, { now: ARMED_AT + sinceMs, text });
    return adapter
      .reconcile(publication, { handle, armedAt: ARMED_AT, asked })
      .then((answer) => ({ answer, asked: network.asked }));
  };

  test('the timeline is not read before 10 s', async () => {
    const { answer, asked } = await reconcile([], 4_000);
    expect(answer).toMatchObject({ kind: 'unknown', delayMs: 6_000 });
    expect(asked).toHaveLength(0);
  });

  test.each([
    [10_000, 50_000],
    [60_000, 120_000],
    [180_000, null],
    [86_400_000, null],
  ])('nothing found %i ms after arming: next look %s', async (sinceMs, delayMs) => {
    expect((await reconcile([timeline()], sinceMs)).answer).toMatchObject({ kind: 'unknown', delayMs });
  });

  test.each([
    ['is looked for as long as ever on X itself', 1, 50_000],
    ['is not looked for again in a sandbox, where posts appear at once', 0.01, null],
  ])('what a sender that is dead had sent %s', async (_, waitFactor, delayMs) => {
    const { http } = scriptedNetwork(timeline());
    const publication = publicationOn(http, { now: ARMED_AT + 10_000 });
    const armed = { handle: null, armedAt: ARMED_AT, asked: 0, isSenderDead: true };
    const answer = await createXAdapter(ENDPOINTS, { waitFactor }).reconcile(publication, armed);
    expect(answer).toMatchObject({ kind: 'unknown', delayMs });
  });

  test('posts since 30 s before arming are asked for', async () => {
    const { asked } = await reconcile([timeline()], 10_000);
    const url = new URL(asked[0]?.url ?? '');
    expect(url.pathname).toBe('/2/users/77/tweets');
    expect(url.searchParams.get('start_time')).toBe('2026-11-20T11:59:30.000Z');
  });

  test('replies are read along: where they are left out, X lists 800 posts only', async () => {
    const reply = { id: '8', conversation_id: '7', text: 'Hello' };
    const { answer, asked } = await reconcile(
      [timeline(reply, { id: '9', conversation_id: '9', text: 'Hello' })],
      10_000,
    );
    expect(new URL(asked[0]?.url ?? '').searchParams.get('exclude')).toBe('retweets');
    expect(answer).toMatchObject({ kind: 'published', remoteId: '9' });
    expect((await reconcile([timeline(reply)], 10_000)).answer).toMatchObject({ kind: 'unknown', delayMs: 50_000 });
  });

  test.each<[string, string, object]>([
    ['the same text', 'Hello', { text: 'Hello' }],
    ['a text in another normal form, with space around', ' Gru\u0308ße ', { text: 'Grüße' }],
    ['escaped characters', 'a < b && c > d &amp;', { text: 'a &lt; b &amp;&amp; c &gt; d &amp;amp;' }],
    [
      'a shortened link',
      'see https://example.com/a?b=1&c=2',
      {
        text: 'see https://t.co/abc',
        entities: { urls: [{ url: 'https://t.co/abc', expanded_url: 'https://example.com/a?b=1&c=2' }] },
      },
    ],
    [
      'a link without scheme',
      'see example.com',
      {
        text: 'see https://t.co/abc',
        entities: { urls: [{ url: 'https://t.co/abc', expanded_url: 'http://example.com' }] },
      },
    ],
    [
      'a long post',
      'a'.repeat(300),
      { text: `${'a'.repeat(270)}… https://t.co/x`, note_post: { text: 'a'.repeat(300) } },
    ],
  ])('%s is found', async (_name, text, post) => {
    const { answer } = await reconcile([timeline({ id: '5', text: 'Other' }, { id: '9', ...post })], 10_000, text);
    expect(answer).toMatchObject({ kind: 'published', remoteId: '9', permalink: 'https://x.com/ada/status/9' });
  });

  test('the same text with a picture is another post', async () => {
    expect(
      (await reconcile([timeline({ id: '9', text: 'Hello', attachments: { media_keys: ['3_1'] } })], 10_000)).answer
        .kind,
    ).toBe('unknown');
  });

  const shows = (...keys: string[]) => ({ attachments: { media_keys: keys } });
  const ownLink = (...photos: string[]) => ({
    entities: {
      urls: photos.map((photo) => ({ url: 'https://t.co/m', expanded_url: `https://x.com/ada/status/9/${photo}` })),
    },
  });
  const found = { kind: 'published', remoteId: '9' };
  test.each<[string, string, readonly object[], object]>([
    [
      'the same text and as many files',
      'Hello',
      [{ id: '9', text: 'Hello https://t.co/m', ...ownLink('photo/1', 'photo/2'), ...shows('3_8', '3_9') }],
      found,
    ],
    [
      'the same text, its own link not explained',
      'Hello',
      [{ id: '9', text: 'Hello https://t.co/m', ...shows('3_8', '3_9') }],
      found,
    ],
    [
      'the very files among posts that say the same',
      'Hello',
      [
        { id: '8', text: 'Hello', ...shows('3_8', '3_9') },
        { id: '9', text: 'Hello', ...shows('3_2', '3_1') },
      ],
      found,
    ],
    ['the very files without a word', '', [{ id: '9', text: 'https://t.co/m', ...shows('3_1', '3_2') }], found],
    [
      'other files without a word',
      '',
      [{ id: '9', text: 'https://t.co/m', ...ownLink('photo/1'), ...shows('3_8', '3_9') }],
      { kind: 'unknown', delayMs: 50_000 },
    ],
    [
      'the same text and fewer files',
      'Hello',
      [{ id: '9', text: 'Hello', ...shows('3_1') }],
      { kind: 'unknown', delayMs: 50_000 },
    ],
    ['the same text without files', 'Hello', [{ id: '9', text: 'Hello' }], { kind: 'unknown', delayMs: 50_000 }],
    [
      'two posts of the same text and as many files',
      'Hello',
      [
        { id: '8', text: 'Hello', ...shows('3_5', '3_6') },
        { id: '9', text: 'Hello', ...shows('3_8', '3_9') },
      ],
      { kind: 'unknown', delayMs: null },
    ],
  ])('of a post with two files: %s', async (_name, text, posts, expected) => {
    // The files themselves may be gone by then, so the handle alone tells of them.
    expect((await reconcile([timeline(...posts)], 10_000, text, 0, uploaded('1', '2'))).answer).toMatchObject(expected);
  });

  test('several that say it prove nothing, for good', async () => {
    expect(
      (await reconcile([timeline({ id: '8', text: 'Hello' }, { id: '9', text: 'Hello' })], 10_000)).answer,
    ).toMatchObject({ kind: 'unknown', delayMs: null });
  });

  test('X is asked in the names of today for its fields, and in no older ones', async () => {
    const { asked } = await reconcile([timeline()], 10_000);
    const query = new URL(asked[0]?.url ?? '').searchParams;
    expect(query.get('post.fields')?.split(',')).toEqual(
      expect.arrayContaining(['note_post', 'attachments', 'entities']),
    );
    expect([...query.keys()]).not.toContain('tweet.fields');
  });

  /** A timeline of posts, newest first, in pages of a hundred; `limitAt`: the call that X refuses. */
  function longTimeline(posts: readonly object[], limitAt = Infinity): readonly ScriptedStep[] {
    const pages = Math.ceil(posts.length / 100);
    return Array.from({ length: pages }, (_, page) => ({ url }: { readonly url: string }) => {
      if (page === limitAt) return jsonAnswer(429, {}, spentUntil(ARMED_AT + 910_000));
      expect(new URL(url).searchParams.get('pagination_token')).toBe(page === 0 ? null : `page-${page}`);
      const next = page + 1 < pages ? { next_token: `page-${page + 1}` } : {};
      return jsonAnswer(200, { data: posts.slice(page * 100, page * 100 + 100), meta: { result_count: 100, ...next } });
    });
  }
  const spentUntil = (instant: number) => ({
    'x-rate-limit-remaining': '0',
    'x-rate-limit-reset': String(instant / 1000),
  });
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `1${index}`, text: `Other ${index}` }));

  test('a post with 3,000 newer ones is found', async () => {
    const { answer, asked } = await reconcile(longTimeline([...others(3_000), { id: '9', text: 'Hello' }]), 600_000);
    expect(answer).toMatchObject({ kind: 'published', remoteId: '9' });
    expect(asked).toHaveLength(31);
  });

  test('a limit in the middle of a long timeline is waited for, and proves nothing', async () => {
    const posts = [{ id: '9', text: 'Hello' }, ...others(500)];
    const { answer, asked } = await reconcile(longTimeline(posts, 3), 10_000);
    expect(answer).toMatchObject({ kind: 'unknown', delayMs: 900_000 });
    expect(asked).toHaveLength(4);
  });

  test('a timeline that never ends is read as far as X lists posts, and then no more', async () => {
    const { answer, asked } = await reconcile(longTimeline([{ id: '9', text: 'Hello' }, ...others(4_000)]), 10_000);
    expect(answer).toMatchObject({
      kind: 'unknown',
      delayMs: null,
      summary: { detail: expect.stringContaining('3200') },
    });
    expect(asked).toHaveLength(32);
  });

  test.each([
    ['as many posts as X lists', 3_200],
    ['a few less, of which some are deleted', 3_150],
  ])('a timeline that ends with %s does not reach back to the post', async (_name, count) => {
    const { answer } = await reconcile(longTimeline([{ id: '9', text: 'Hello' }, ...others(count - 1)]), 10_000);
    expect(answer).toMatchObject({ kind: 'unknown', delayMs: null });
    const { http } = scriptedNetwork(...longTimeline(others(count)));
    const sought = { handle: null, since: ARMED_AT, asked: 0 };
    const searched = await adapter.search!(publicationOn(http), sought);
    expect(searched).toMatchObject({ kind: 'searched', items: [], isProof: false });
  });

  test('a timeline that ends before that proves that the post is not there', async () => {
    const { http } = scriptedNetwork(...longTimeline(others(3_000)));
    const answer = await adapter.search!(publicationOn(http), { handle: null, since: ARMED_AT, asked: 0 });
    expect(answer).toMatchObject({ kind: 'searched', items: [], isProof: true });
  });

  test('a post on a later page is found', async () => {
    const first = jsonAnswer(200, { data: [{ id: '5', text: 'Other' }], meta: { next_token: 'n1' } });
    const { answer, asked } = await reconcile([first, timeline({ id: '9', text: 'Hello' })], 10_000);
    expect(answer).toMatchObject({ kind: 'published', remoteId: '9' });
    expect(asked[1]?.url).toContain('pagination_token=n1');
  });

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { delayMs: 5_000 }],
    ['trouble', jsonAnswer(503, {}), { delayMs: 5_000 }],
    [
      'a limit',
      jsonAnswer(429, {}, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String((ARMED_AT + 310_000) / 1000) }),
      { delayMs: 300_000 },
    ],
    ['a refused token', jsonAnswer(401, { title: 'Unauthorized' }), { tokenRefused: true }],
  ])('a timeline that can not be read (%s) says nothing', async (_name, scripted, expected) => {
    expect((await reconcile([scripted], 10_000)).answer).toMatchObject({ kind: 'unknown', ...expected });
  });

  test('a timeline that could never be read is given up, but not at a late first look', async () => {
    expect((await reconcile([{ cut: 'after' }], 86_400_000)).answer).toMatchObject({
      kind: 'unknown',
      delayMs: expect.any(Number),
    });
    expect((await reconcile([{ cut: 'after' }], 86_400_000, 'Hello', 8)).answer).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });
});
