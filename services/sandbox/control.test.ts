import { describe, expect, test } from 'vitest';
import {
  createHarness,
  liveTexts,
  readyContainer,
  setFault,
  signInThreads,
  signInX,
  type SandboxHarness,
  type SignedIn,
} from './sandbox.fixture.ts';

const postUrl = '/sim/x/2/tweets';
const post = (who: SignedIn, text: string) => ({ token: who.token, json: { text } });

describe('live items', () => {
  test('items carry everything, oldest first, and are filtered by network and account', async () => {
    const harness = createHarness();
    const [ada, grace] = [await signInX(harness), await signInThreads(harness)];
    await harness.ask('POST', postUrl, post(ada, 'first'));
    await harness.ask('POST', '/sim/threads/v1.0/me/threads_publish', {
      token: grace.token,
      form: { creation_id: await readyContainer(harness, grace, 'second') },
    });
    const { body } = await harness.ask('GET', '/sandbox/items');
    expect(body.items).toEqual([
      {
        network: 'x',
        accountId: ada.accountId,
        remoteId: expect.any(String),
        placement: 'feed',
        text: 'first',
        media: [],
        altTexts: [],
        publishedAt: '2026-11-20T12:00:00.000Z',
        permalink: expect.any(String),
        options: {},
        link: null,
        comments: [],
      },
      expect.objectContaining({ network: 'threads', accountId: grace.accountId, text: 'second' }),
    ]);
    const texts = async (query: string) =>
      (await harness.ask('GET', `/sandbox/items?${query}`)).body.items.map(({ text }: { text: string }) => text);
    expect(await texts('network=threads')).toEqual(['second']);
    expect(await texts(`accountId=${ada.accountId}`)).toEqual(['first']);
    expect(await texts(`network=threads&accountId=${ada.accountId}`)).toEqual([]);
    expect(await texts('network=facebook')).toEqual([]);
    expect((await harness.ask('GET', '/sandbox/items?network=myspace')).status).toBe(400);
  });

  test('the page shows every account and its posts, loads nothing from elsewhere and escapes all', async () => {
    const harness = createHarness();
    const who = await signInX(harness, { account_name: '<i>Ada</i>' });
    await harness.ask('POST', postUrl, post(who, `<img src=x onerror=alert(1)> "it's" & more`));
    const { status, text, headers } = await harness.ask('GET', '/');
    expect(status).toBe(200);
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;it&#39;s&quot; &amp; more');
    expect(text).toContain('&lt;i&gt;Ada&lt;/i&gt;');
    for (const [, address] of text.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(address).toMatch(/^(?:http:\/\/sandbox\.test\/|\/sandbox\/)/);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('calls are listed newest last, without the query, cuts as status 0', async () => {
    const harness = createHarness();
    const who = await signInX(harness);
    await setFault(harness, { network: 'x', fault: 'drop_after_commit' });
    await harness.outcome('POST', `${postUrl}?access_token=secret`, post(who, 'a'));
    await harness.ask('GET', '/sim/x/nowhere');
    const { calls } = (await harness.ask('GET', '/sandbox/calls?network=x')).body;
    expect(calls.map(({ call }: { call: string }) => call)).toEqual([
      'oauth.authorize',
      'oauth.token',
      'users.me',
      'tweets.create',
      'unknown',
    ]);
    expect(calls[3]).toEqual({
      network: 'x',
      call: 'tweets.create',
      method: 'POST',
      path: postUrl,
      status: 0,
      at: '2026-11-20T12:00:00.000Z',
    });
    expect(JSON.stringify(calls)).not.toContain('secret');
    expect((await harness.ask('GET', '/sandbox/calls?network=threads')).body.calls).toEqual([]);
  });

  test('only the newest calls are remembered', async () => {
    const harness = createHarness({ keptCalls: 1_500 });
    for (let i = 0; i < 4_000; i++) await harness.outcome('GET', `/sim/x/${i}`);
    const { calls } = (await harness.ask('GET', '/sandbox/calls')).body;
    expect(calls.length).toBeGreaterThanOrEqual(1_500);
    expect(calls.length).toBeLessThanOrEqual(2_500);
    expect(calls.at(-1).path).toBe('/sim/x/3999');
  });
});

describe('faults', () => {
  test('drop_before_commit cuts and does nothing, drop_after_commit does the work and cuts', async () => {
    const harness = createHarness();
    const who = await signInX(harness);
    await setFault(harness, { network: 'x', fault: 'drop_before_commit' });
    await setFault(harness, { network: 'x', fault: 'drop_after_commit' });
    expect(await harness.outcome('POST', postUrl, post(who, 'a'))).toEqual({ cut: 'before' });
    expect(await liveTexts(harness)).toEqual([]);
    expect(await harness.outcome('POST', postUrl, post(who, 'a'))).toEqual({ cut: 'after' });
    expect(await liveTexts(harness)).toEqual(['a']);
  });

  test('a refresh whose answer is lost has consumed the token', async () => {
    const harness = createHarness();
    const who = await signInX(harness);
    const refresh = () =>
      harness.outcome('POST', '/sim/x/2/oauth2/token', {
        form: { grant_type: 'refresh_token', refresh_token: who.refreshToken },
        headers: { Authorization: `Basic ${btoa('crier-sandbox:crier-sandbox-secret')}` },
      });
    await setFault(harness, { network: 'x', fault: 'drop_after_commit', call: 'oauth.token' });
    expect(await refresh()).toEqual({ cut: 'after' });
    expect(await refresh()).toMatchObject({ status: 400 });
  });

  test('delay postpones the work by the clock', async () => {
    const harness = createHarness();
    const who = await signInX(harness);
    await setFault(harness, { network: 'x', fault: 'delay', delayMs: 3_000 });
    const slow = harness.ask('POST', postUrl, post(who, 'slow'));
    await harness.clock.advance(2_999);
    expect(await liveTexts(harness)).toEqual([]);
    await harness.clock.advance(1);
    expect((await slow).status).toBe(201);
  });

  test('a fault is played as often as requested, at its call only, and listed with the remaining count', async () => {
    const harness = createHarness();
    const who = await signInX(harness);
    await setFault(harness, { network: 'x', fault: '5xx_before_commit', call: 'users.me', count: 2 });
    const me = async () => (await harness.ask('GET', '/sim/x/2/users/me', { token: who.token })).status;
    expect(await me()).toBe(503);
    expect((await harness.ask('GET', '/sandbox/faults')).body.faults).toEqual([
      expect.objectContaining({ network: 'x', fault: '5xx_before_commit', call: 'users.me', left: 1 }),
    ]);
    expect((await harness.ask('POST', postUrl, post(who, 'a'))).status).toBe(201);
    expect([await me(), await me()]).toEqual([503, 200]);
    expect((await harness.ask('GET', '/sandbox/faults')).body).toEqual({ faults: [] });
  });

  test('without a call a fault applies to the irreversible one, and DELETE removes all faults', async () => {
    const harness = createHarness();
    await setFault(harness, { network: 'x', fault: 'delay' });
    await setFault(harness, { network: 'threads', fault: 'drop_after_commit', count: 5 });
    const calls = (await harness.ask('GET', '/sandbox/faults')).body.faults.map(({ call }: { call: string }) => call);
    expect(calls).toEqual(['tweets.create', 'threads.publish']);
    expect((await harness.ask('DELETE', '/sandbox/faults')).status).toBe(200);
    expect((await harness.ask('GET', '/sandbox/faults')).body.faults).toEqual([]);
  });

  test.each([
    [{ network: 'x', fault: 'gremlins' }, 'drop_after_commit'],
    [{ network: 'x', fault: 'container_read_100_33' }, 'x_no_credits'],
    [{ network: 'threads', fault: 'x_no_credits' }, 'container_read_100_33'],
    [{ network: 'myspace', fault: 'delay' }, 'network must be'],
    [{ network: 'x', fault: 'duplicate', call: 'users.me' }, 'tweets.create'],
    [{ network: 'x', fault: 'delay', call: 'dance' }, 'users.tweets'],
    [{ network: 'x', fault: 'delay', count: 0 }, 'count'],
    [{ network: 'x', fault: 'delay', count: 1.5 }, 'count'],
    [{ network: 'x', fault: 'delay', delayMs: -1 }, 'delayMs'],
    [{ network: 'threads', fault: 'processing_failed', reason: 'BAD_MOOD' }, 'INVALID_DURATION'],
    [{ network: 'x', fault: 'delay', reason: 'why' }, 'reason'],
    [{ network: 'x', fault: 'delay', colour: 'red' }, 'colour'],
    [['x'], 'JSON object'],
  ])('the fault %j is refused, and the message names a valid one: %s', async (fault, hint) => {
    const { status, body } = await createHarness().ask('POST', '/sandbox/faults', { json: fault });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toContain(hint);
  });
});

describe('the other controls', () => {
  const ready = async (harness: SandboxHarness, who: SignedIn, id: string) =>
    (await harness.ask('GET', `/sim/threads/v1.0/${id}?fields=status`, { token: who.token })).body.status;

  test('timing scales the waits of one network; 0 leaves none', async () => {
    const harness = createHarness();
    const who = await signInThreads(harness);
    const make = async () =>
      (
        await harness.ask('POST', '/sim/threads/v1.0/me/threads', {
          token: who.token,
          form: { media_type: 'TEXT', text: 'a' },
        })
      ).body.id;
    await harness.ask('POST', '/sandbox/timing', { json: { network: 'threads', factor: 0 } });
    expect(await ready(harness, who, await make())).toBe('FINISHED');
    await harness.ask('POST', '/sandbox/timing', { json: { network: 'threads', factor: 1 } });
    const slow = await make();
    await harness.clock.advance(999);
    expect(await ready(harness, who, slow)).toBe('IN_PROGRESS');
    await harness.clock.advance(1);
    expect(await ready(harness, who, slow)).toBe('FINISHED');
  });

  test.each([
    { network: 'x', factor: -1 },
    { network: 'x', factor: '1' },
    { network: 'x' },
    { factor: 1 },
    { network: 'x', factor: 1, more: 1 },
  ])('the timing %j is refused', async (timing) => {
    expect((await createHarness().ask('POST', '/sandbox/timing', { json: timing })).status).toBe(400);
  });

  test.each([
    { network: 'x', limits: { dances: 1 } },
    { network: 'x', limits: { tweetsCreatePerUser: -1 } },
    { network: 'x', limits: 5 },
  ])('the limits %j are refused', async (limits) => {
    expect((await createHarness().ask('POST', '/sandbox/limits', { json: limits })).status).toBe(400);
  });

  test('revoking an account ends its tokens of every kind, and those of no other account', async () => {
    const harness = createHarness();
    const [ada, other] = [await signInX(harness), await signInX(harness)];
    expect((await harness.ask('POST', `/sandbox/accounts/${ada.accountId}/revoke`)).status).toBe(200);
    expect((await harness.ask('POST', postUrl, post(ada, 'a'))).status).toBe(401);
    expect((await harness.ask('POST', postUrl, post(other, 'a'))).status).toBe(201);
    expect((await harness.ask('POST', '/sandbox/accounts/42/revoke')).status).toBe(404);
  });

  test('wrong addresses are 404 and wrong methods 405, in JSON', async () => {
    const harness = createHarness();
    for (const [method, url, status] of [
      ['GET', '/nowhere', 404],
      ['GET', '/sim/myspace/me', 404],
      ['GET', '/sim', 404],
      ['PUT', '/sandbox/items', 405],
      ['GET', '/sandbox/timing', 405],
      ['toString', '/sandbox/faults', 405],
    ] as const) {
      const got = await harness.ask(method, url);
      expect([url, got.status, typeof got.body.error.message]).toEqual([url, status, 'string']);
    }
    expect((await harness.ask('GET', '/sim/threads/v2.0/me')).body.error.code).toBe(2500);
  });
});
