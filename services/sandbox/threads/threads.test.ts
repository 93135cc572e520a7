import { describe, expect, test } from 'vitest';
import {
  codeFrom,
  createHarness,
  liveTexts,
  readyContainer,
  setFault,
  signInThreads,
  threadsAuthorizeUrl,
  threadsCodeForm,
  type SandboxHarness,
  type SignedIn,
} from '../sandbox.fixture.ts';
import { SANDBOX_APP } from '../simulators.ts';
import { mediaIdOf, shortcodeOf } from './media.ts';
import { threadsLength } from './text-rules.ts';
import { PROCESSED_MS } from './threads.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const create = (harness: SandboxHarness, who: SignedIn, form: Readonly<Record<string, string>>) =>
  harness.ask('POST', `/sim/threads/v1.0/${who.accountId}/threads`, {
    token: who.token,
    form: { media_type: 'TEXT', ...form },
  });
const publish = (harness: SandboxHarness, who: SignedIn, creationId: string) =>
  harness.ask('POST', `/sim/threads/v1.0/${who.accountId}/threads_publish`, {
    token: who.token,
    form: { creation_id: creationId },
  });
const read = (harness: SandboxHarness, who: SignedIn, id: string, fields: string) =>
  harness.ask('GET', `/sim/threads/v1.0/${id}?fields=${fields}`, { token: who.token });
const statusOf = async (harness: SandboxHarness, who: SignedIn, id: string) =>
  (await read(harness, who, id, 'status')).body.status;
const list = (harness: SandboxHarness, who: SignedIn, query: string) =>
  harness.ask('GET', `/sim/threads/v1.0/me/threads?${query}`, { token: who.token });
const quota = async (harness: SandboxHarness, who: SignedIn) =>
  (
    await harness.ask('GET', `/sim/threads/v1.0/${who.accountId}/threads_publishing_limit?fields=quota_usage,config`, {
      token: who.token,
    })
  ).body.data;

async function signedIn() {
  const harness = createHarness();
  return { harness, who: await signInThreads(harness) };
}

describe('signing in to threads', () => {
  test('a code buys one token of an hour, and that token one of sixty days', async () => {
    const harness = createHarness();
    const sent = (await harness.ask('GET', threadsAuthorizeUrl())).headers['location']!;
    expect(sent).toMatch(/state=s1#_$/);
    const code = new URL(sent).searchParams.get('code')!;
    const short = await harness.ask('POST', '/sim/threads/oauth/access_token', { form: threadsCodeForm(code) });
    expect(short.body).toEqual({ access_token: expect.any(String), user_id: expect.stringMatching(/^\d{19}$/) });
    expect((await harness.ask('POST', '/sim/threads/oauth/access_token', { form: threadsCodeForm(code) })).status).toBe(
      400,
    );
    const query = `grant_type=th_exchange_token&client_secret=${SANDBOX_APP.clientSecret}&access_token=${short.body.access_token}`;
    const long = await harness.ask('GET', `/sim/threads/access_token?${query}`);
    expect(long.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 });
    const profile = await harness.ask(
      'GET',
      `/sim/threads/v1.0/me?fields=id,username,name,threads_profile_picture_url&access_token=${long.body.access_token}`,
    );
    expect(profile.body).toEqual({
      id: short.body.user_id,
      username: 'grace',
      name: 'Grace',
      threads_profile_picture_url: expect.stringMatching(/^http:\/\/sandbox\.test\//),
    });
    await harness.clock.advance(HOUR_MS);
    expect((await harness.ask('GET', `/sim/threads/access_token?${query}`)).body.error).toMatchObject({
      code: 190,
      error_subcode: 463,
    });
  });

  test.each([
    { client_id: 'other' },
    { client_secret: 'wrong' },
    { redirect_uri: 'http://app.test/other' },
    { grant_type: 'x' },
    { code: '' },
  ])('exchanging with %j is refused', async (change) => {
    const harness = createHarness();
    const code = await codeFrom(harness, threadsAuthorizeUrl());
    const { status, body } = await harness.ask('POST', '/sim/threads/oauth/access_token', {
      form: { ...threadsCodeForm(code), ...change },
    });
    expect([status, body]).toEqual([
      400,
      { error_type: 'OAuthException', code: 400, error_message: expect.any(String) },
    ]);
  });

  test('a token is refreshed when it has lived a day and not yet sixty', async () => {
    const { harness, who } = await signedIn();
    const refresh = () =>
      harness.ask('GET', `/sim/threads/refresh_access_token?grant_type=th_refresh_token&access_token=${who.token}`);
    expect((await refresh()).body.error.message).toContain('24 hours');
    await harness.clock.advance(DAY_MS);
    expect((await refresh()).body.expires_in).toBe(5_184_000);
    await harness.clock.advance(59 * DAY_MS);
    expect((await refresh()).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  });

  test.each([
    ['garbage', 500, { code: 190, message: 'Invalid OAuth 2.0 Access Token' }],
    ['', 500, { code: 190 }],
  ])('the token %j is invalid', async (token, status, error) => {
    const got = await createHarness().ask('GET', `/sim/threads/v1.0/me?access_token=${token}`);
    expect([got.status, got.body.error]).toEqual([
      status,
      expect.objectContaining({ type: 'THApiException', fbtrace_id: expect.any(String), ...error }),
    ]);
  });
});

describe('publishing to threads', () => {
  test('a container goes from IN_PROGRESS over FINISHED to PUBLISHED, and its media has a permalink', async () => {
    const { harness, who } = await signedIn();
    const made = await create(harness, who, { text: 'hello' });
    expect([made.status, made.body]).toEqual([200, { id: expect.stringMatching(/^\d{19}$/) }]);
    expect(await statusOf(harness, who, made.body.id)).toBe('IN_PROGRESS');
    await harness.clock.advance(10);
    expect((await read(harness, who, made.body.id, 'id,status,error_message')).body).toEqual({
      id: made.body.id,
      status: 'FINISHED',
    });
    expect(await liveTexts(harness)).toEqual([]);
    const done = await publish(harness, who, made.body.id);
    expect(done.body.id).not.toBe(made.body.id);
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, made.body.id)).toBe('PUBLISHED');
    const media = await read(harness, who, done.body.id, 'id,permalink,timestamp,shortcode,text,media_type,children');
    expect(media.body).toEqual({
      id: done.body.id,
      permalink: `http://sandbox.test/sim/threads/@grace/post/${media.body.shortcode}`,
      timestamp: '2026-11-20T12:00:00+0000',
      shortcode: expect.any(String),
      text: 'hello',
      media_type: 'TEXT_POST',
    });
    expect((await harness.ask('GET', media.body.permalink)).text).toContain('hello');
  });

  test('a container is published once: a second time it is not found, and nothing more goes live', async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'once');
    await publish(harness, who, id);
    const again = await publish(harness, who, id);
    expect([again.status, again.body.error]).toEqual([
      400,
      expect.objectContaining({ code: 24, error_subcode: 4279009, error_user_title: 'Media Not Found' }),
    ]);
    expect(await liveTexts(harness)).toEqual(['once']);
  });

  test('a container that is not ready, missing, or of another account is not found', async () => {
    const { harness, who } = await signedIn();
    const other = await signInThreads(harness);
    const theirs = await readyContainer(harness, other, 'theirs');
    const fresh = await create(harness, who, { text: 'too soon' });
    for (const id of [fresh.body.id, '17889455560051444', theirs]) {
      expect((await publish(harness, who, id)).body.error.error_subcode).toBe(4279009);
    }
    expect(await liveTexts(harness)).toEqual([]);
  });

  test('a container expires after a day', async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'forgotten');
    await harness.clock.advance(DAY_MS);
    expect(await statusOf(harness, who, id)).toBe('EXPIRED');
    expect((await publish(harness, who, id)).body.error.code).toBe(24);
  });

  test('parameters may be sent as a form, in the query or as JSON', async () => {
    const { harness, who } = await signedIn();
    const path = `/sim/threads/v1.0/me/threads`;
    const asked = [
      harness.ask('POST', path, { token: who.token, json: { media_type: 'TEXT', text: 'json' } }),
      harness.ask('POST', `${path}?media_type=TEXT&text=query&access_token=${who.token}`),
      harness.ask('POST', path, { form: { media_type: 'TEXT', text: 'form', access_token: who.token } }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each([
    ['501 characters', { text: 'a'.repeat(501) }, 'Param text must be at most 500 characters long.'],
    ['emoji of 501 bytes', { text: `${'👍'.repeat(125)}a` }, 'Param text must be at most 500 characters long.'],
    ['no text', { text: '' }, 'text is required'],
    [
      'six links',
      { text: [1, 2, 3, 4, 5, 6].map((n) => `https://a.com/${n}`).join(' ') },
      'THREADS_API__LINK_LIMIT_EXCEEDED',
    ],
    ['another kind', { media_type: 'POEM' }, 'media_type'],
    ['an image without an address', { media_type: 'IMAGE' }, 'image_url'],
    [
      'alt text beyond 1,000 characters',
      { media_type: 'IMAGE', image_url: 'https://a.com/a.jpg', alt_text: 'a'.repeat(1_001) },
      'alt_text',
    ],
  ])('%s is refused with code 100', async (_what, form, message) => {
    const { harness, who } = await signedIn();
    const { status, body } = await create(harness, who, form);
    expect([status, body.error.code, body.error.message]).toEqual([400, 100, expect.stringContaining(message)]);
  });

  test('five distinct links, however often repeated, are accepted', async () => {
    const { harness, who } = await signedIn();
    expect(
      (await create(harness, who, { text: [1, 2, 3, 4, 5, 5].map((n) => `https://a.com/${n}`).join(' ') })).status,
    ).toBe(200);
  });

  test.each([['status_code'], ['colour']])('the field %s does not exist', async (field) => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'a');
    expect((await read(harness, who, id, `id,${field}`)).body.error).toMatchObject({
      code: 100,
      message: expect.stringContaining(`nonexisting field (${field})`),
    });
  });

  test("another's container and a missing one get the same answer", async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, await signInThreads(harness), 'theirs');
    for (const unseen of [id, '123', 'abc'])
      expect((await read(harness, who, unseen, 'id')).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('without the permission to publish, creating answers 500 with code 10', async () => {
    const harness = createHarness();
    const who = await signInThreads(harness, { scope: 'threads_basic' });
    const { status, body } = await create(harness, who, { text: 'a' });
    expect([status, body]).toEqual([
      500,
      {
        error: {
          message: 'Application does not have permission for this action',
          type: 'THApiException',
          code: 10,
          fbtrace_id: expect.any(String),
        },
      },
    ]);
  });

  test('the list shows live posts after a while, newest first, cut by since and pages', async () => {
    const { harness, who } = await signedIn();
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      ids.unshift((await publish(harness, who, await readyContainer(harness, who, text))).body.id);
      await harness.clock.advance(5_000);
    }
    const idsOf = async (query: string) =>
      (await list(harness, who, query)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf('fields=id,text,timestamp,permalink,media_type,children')).toEqual(ids);
    expect(await idsOf(`since=${Math.floor(harness.clock.now() / 1000) - 8}`)).toEqual(ids.slice(0, 1));
    const page = (await list(harness, who, 'fields=text&limit=2')).body;
    expect(page.data[0]).toEqual({ id: ids[0], text: 'three' });
    expect((await harness.ask('GET', page.paging.next, { token: who.token })).body.data).toEqual([
      { id: ids[2], text: 'one' },
    ]);
    expect((await list(harness, who, 'limit=none')).body.error.code).toBe(100);
    expect((await list(harness, who, 'since=never')).body.error.code).toBe(100);
  });

  test('the quota counts the last 24 hours and refuses beyond', async () => {
    const { harness, who } = await signedIn();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'threads', limits: { postsPerDay: 2 } } });
    for (const text of ['one', 'two']) await publish(harness, who, await readyContainer(harness, who, text));
    expect(await quota(harness, who)).toEqual([{ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } }]);
    const third = await readyContainer(harness, who, 'three');
    expect((await publish(harness, who, third)).body.error).toMatchObject({
      code: 613,
      error_user_title: 'Reached max number of posts',
    });
    await harness.clock.advance(DAY_MS - 1_500);
    expect((await publish(harness, who, third)).status).toBe(200);
  });
});

describe('faults of threads', () => {
  test.each([
    ['account_restricted', undefined, 400, { error_subcode: 4279013 }],
    ['account_restricted', 'spam', 400, { code: 4, error_subcode: 2207051 }],
    ['rate_limited', undefined, 400, { code: 4, is_transient: true }],
    ['quota_exhausted', undefined, 400, { code: 613 }],
    ['duplicate', undefined, 400, { code: 506 }],
    ['5xx_before_commit', undefined, 500, { code: 2, is_transient: true }],
  ])(
    '%s (%s) answers %d once, without a post; then the same container is published',
    async (fault, reason, status, error) => {
      const { harness, who } = await signedIn();
      const id = await readyContainer(harness, who, 'hello');
      await setFault(harness, { network: 'threads', fault, ...(reason === undefined ? {} : { reason }) });
      const refused = await publish(harness, who, id);
      expect([refused.status, refused.body.error]).toEqual([status, expect.objectContaining(error)]);
      expect(await liveTexts(harness)).toEqual([]);
      expect((await publish(harness, who, id)).status).toBe(200);
    },
  );

  test('5xx_after_commit says 500 with code 10 although it is live; the container knows', async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'hello');
    await setFault(harness, { network: 'threads', fault: '5xx_after_commit' });
    const lost = await publish(harness, who, id);
    expect([lost.status, lost.body.error.code]).toEqual([500, 10]);
    await harness.clock.advance(PROCESSED_MS);
    expect([await statusOf(harness, who, id), await liveTexts(harness)]).toEqual(['PUBLISHED', ['hello']]);
  });

  test('a stuck container is in progress until it expires', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'threads', fault: 'processing_stuck' });
    const id = await readyContainer(harness, who, 'hello');
    await harness.clock.advance(HOUR_MS);
    expect(await statusOf(harness, who, id)).toBe('IN_PROGRESS');
    await harness.clock.advance(DAY_MS);
    expect(await statusOf(harness, who, id)).toBe('EXPIRED');
  });

  test('failed processing ends in ERROR with its reason', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'threads', fault: 'processing_failed', reason: 'INVALID_DURATION' });
    const id = await readyContainer(harness, who, 'hello');
    expect((await read(harness, who, id, 'status,error_message')).body).toEqual({
      id,
      status: 'ERROR',
      error_message: 'INVALID_DURATION',
    });
    expect((await publish(harness, who, id)).status).toBe(400);
  });

  test('container_read_100_33 and permalink_missing hit their reads', async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'hello');
    await setFault(harness, { network: 'threads', fault: 'container_read_100_33' });
    expect((await read(harness, who, id, 'status')).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect(await statusOf(harness, who, id)).toBe('FINISHED');
    const { body } = await publish(harness, who, id);
    await setFault(harness, { network: 'threads', fault: 'permalink_missing' });
    expect((await read(harness, who, body.id, 'id,permalink')).body).toEqual({ id: body.id });
    expect((await read(harness, who, body.id, 'id,permalink')).body.permalink).toContain('/post/');
  });

  test('token_revoked and scope_removed last until the person consents again', async () => {
    const { harness, who } = await signedIn();
    const id = await readyContainer(harness, who, 'hello');
    await setFault(harness, { network: 'threads', fault: 'scope_removed', call: 'threads.create' });
    expect((await create(harness, who, { text: 'a' })).body.error.code).toBe(10);
    expect((await publish(harness, who, id)).body.error.code).toBe(10);
    const again = await signInThreads(harness, { account: who.accountId });
    await setFault(harness, { network: 'threads', fault: 'token_revoked' });
    expect((await publish(harness, again, id)).body.error).toMatchObject({ code: 190, error_subcode: 458 });
    expect((await publish(harness, await signInThreads(harness, { account: who.accountId }), id)).status).toBe(200);
  });
});

test.each([
  ['a'.repeat(500), 500],
  ['日本', 2],
  ['👍', 4],
  ['👨‍👩‍👧', 18],
  ['❤️', 6],
  ['é', 1],
])('threads counts %j as %d', (text, length) => expect(threadsLength(text)).toBe(length));

test('a shortcode leads back to its id', () => {
  for (const id of ['2086419418611580927', '1000000000000000001']) expect(mediaIdOf(shortcodeOf(id))).toBe(id);
  expect(mediaIdOf('../etc')).toBe('');
});
