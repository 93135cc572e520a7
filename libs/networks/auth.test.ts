import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { Tokens } from './contract/adapter.ts';
import { createThreadsAuth } from './threads/auth.ts';
import { createXAuth } from './x/auth.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const x = createXAuth({
  api: 'https://x.test',
  authorize: 'https://x.test/i/oauth2/authorize',
  site: 'https://x.test',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
});
const threads = createThreadsAuth({
  api: 'https://t.test',
  authorize: 'https://t.test/oauth/authorize',
  site: 'https://t.test',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
});
const TOKENS: Tokens = { accessToken: 'tok', refreshToken: null, expiresAt: NOW };
const pair: Tokens = { accessToken: 'old-access', refreshToken: 'old-refresh', expiresAt: NOW };
const long: Tokens = { accessToken: 'old-long', refreshToken: null, expiresAt: NOW + 60 * DAY_MS };
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'verifier-1' };
const coming = { code: 'code-1', redirectUri: asking.redirectUri, verifier: asking.verifier, now: NOW };
const fieldsOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));
const ALL_SCOPES = 'tweet.read tweet.write users.read media.write offline.access';

describe('x', () => {
  const answer = (more: object = {}) =>
    jsonAnswer(200, {
      token_type: 'bearer',
      expires_in: 7200,
      access_token: 'new-access',
      refresh_token: 'new-refresh',
      scope: ALL_SCOPES,
      ...more,
    });

  test('a person is sent with a challenge made from the verifier', () => {
    const url = new URL(x.authorizeUrl(asking));
    expect(url.origin + url.pathname).toBe('https://x.test/i/oauth2/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: asking.redirectUri,
      scope: ALL_SCOPES,
      state: 'st',
      code_challenge: createHash('sha256').update('verifier-1').digest('base64url'),
      code_challenge_method: 'S256',
    });
  });

  test('a code becomes a pair', async () => {
    const network = scriptedNetwork(answer());
    expect(await x.exchange(network.http, coming)).toEqual({
      kind: 'ok',
      value: { accessToken: 'new-access', refreshToken: 'new-refresh', expiresAt: NOW + 7_200_000 },
    });
    expect(network.asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://x.test/2/oauth2/token',
      headers: { authorization: `Basic ${Buffer.from('app:hush').toString('base64')}` },
    });
    expect(fieldsOf(network.asked[0]?.body)).toMatchObject({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: asking.redirectUri,
      code_verifier: 'verifier-1',
    });
  });

  test('a scope that was not given refuses the connect', async () => {
    const network = scriptedNetwork(answer({ scope: 'tweet.read users.read offline.access' }));
    expect(await x.exchange(network.http, coming)).toMatchObject({
      kind: 'refused',
      summary: { detail: expect.stringContaining('tweet.write') },
    });
  });

  test.each<[string, Scripted, object]>([
    [
      'a spent token',
      jsonAnswer(400, { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }),
      { kind: 'refused' },
    ],
    ['an invalid grant', jsonAnswer(400, { error: 'invalid_grant' }), { kind: 'refused' }],
    [
      'our own credentials',
      jsonAnswer(401, { error: 'unauthorized_client', error_description: 'Missing valid authorization header' }),
      { kind: 'unavailable', sent: false },
    ],
    [
      'an account of the operator without credits',
      jsonAnswer(402, {
        title: 'CreditsDepleted',
        detail: 'Your enrolled account [123] does not have any credits to fulfill this request.',
        type: 'https://api.twitter.com/2/problems/credits',
        status: 402,
      }),
      { kind: 'unavailable', sent: false },
    ],
    [
      'an app that X has suspended',
      jsonAnswer(403, {
        title: 'Client Forbidden',
        reason: 'client-not-enrolled',
        detail: 'When authenticating requests you must use keys and tokens from an App that is attached to a Project.',
        type: 'https://api.twitter.com/2/problems/client-forbidden',
      }),
      { kind: 'unavailable', sent: false },
    ],
    ['trouble, told with 400', jsonAnswer(400, { error: 'temporarily_unavailable' }), { kind: 'unavailable' }],
    ['a limit', jsonAnswer(429, {}), { kind: 'unavailable', sent: false }],
    ['trouble', jsonAnswer(503, {}), { kind: 'unavailable', sent: true }],
    [
      'the page of a proxy',
      { status: 403, headers: {}, body: '<h1>Blocked</h1>' },
      { kind: 'unavailable', sent: true },
    ],
    ['an answer without tokens', jsonAnswer(200, {}), { kind: 'unavailable', sent: true }],
    ['a lost answer', { cut: 'after' }, { kind: 'unavailable', sent: true }],
    ['no connection', { cut: 'before' }, { kind: 'unavailable', sent: false }],
  ])('a refresh meets %s', async (_name, scripted, expected) => {
    const network = scriptedNetwork(scripted);
    expect(await x.refresh(network.http, pair, NOW)).toMatchObject(expected);
    expect(fieldsOf(network.asked[0]?.body)).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh',
    });
  });

  test.each([
    ['None', ''],
    ['Premium', 'premium'],
    ['PremiumPlus', 'premiumplus'],
    [undefined, ''],
  ])('a subscription %s is kind %j, and the larger picture is taken', async (subscription, kind) => {
    const data = {
      id: '2244994945',
      name: 'Ada',
      username: 'ada',
      profile_image_url: 'https://pbs.test/a_normal.jpg',
      subscription_type: subscription,
    };
    const network = scriptedNetwork(jsonAnswer(200, { data }));
    expect(await x.accounts(network.http, TOKENS, NOW)).toEqual({
      kind: 'ok',
      value: [
        {
          tokens: TOKENS,
          accountId: '2244994945',
          username: 'ada',
          name: 'Ada',
          avatarUrl: 'https://pbs.test/a_400x400.jpg',
          kind,
        },
      ],
    });
  });

  test('what it allowed ends at X, the refresh token first', async () => {
    const network = scriptedNetwork(jsonAnswer(200, { revoked: true }), jsonAnswer(200, { revoked: true }));
    expect(await x.revoke?.(network.http, pair, '77')).toEqual({ kind: 'ok', value: true });
    expect(network.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://x.test/2/oauth2/revoke',
      'POST https://x.test/2/oauth2/revoke',
    ]);
    expect(network.asked.map(({ body }) => fieldsOf(body))).toEqual([
      { token: 'old-refresh', client_id: 'app' },
      { token: 'old-access', client_id: 'app' },
    ]);
    expect(network.asked[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('app:hush').toString('base64')}`,
    });
  });

  const dead = jsonAnswer(400, {
    error: 'invalid_request',
    error_description: 'Value passed for the token was invalid.',
  });
  test.each<[string, readonly Scripted[], object]>([
    ['tokens that are dead already', [dead, dead], { kind: 'ok' }],
    [
      'an app that X does not know',
      [jsonAnswer(401, { error: 'unauthorized_client' })],
      { kind: 'unavailable', sent: false },
    ],
    ['trouble', [jsonAnswer(503, {})], { kind: 'unavailable' }],
    ['a lost answer for the second', [jsonAnswer(200, { revoked: true }), { cut: 'after' }], { kind: 'unavailable' }],
  ])('revoking meets %s', async (_name, script, expected) => {
    const answer = await x.revoke?.(scriptedNetwork(...script).http, pair, '77');
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toMatch(/hush|old-/);
  });

  test('refreshed 10 minutes ahead', () => {
    expect(x.refreshDueAt({ ...pair, expiresAt: NOW + 7_200_000 }, NOW)).toBe(NOW + 6_600_000);
  });
});

describe('threads', () => {
  test('a code, with the tail browsers leave on it, becomes a token of 60 days', async () => {
    const network = scriptedNetwork(
      jsonAnswer(200, { access_token: 'short', user_id: 17841400000000000001 }),
      jsonAnswer(200, { access_token: 'long', token_type: 'bearer', expires_in: 5_183_944 }),
    );
    const answer = await threads.exchange(network.http, { ...coming, code: 'code-1#_' });
    expect(answer).toEqual({
      kind: 'ok',
      value: { accessToken: 'long', refreshToken: null, expiresAt: NOW + 5_183_944_000 },
    });
    expect(fieldsOf(network.asked[0]?.body)).toEqual({
      client_id: 'app',
      client_secret: 'hush',
      code: 'code-1',
      grant_type: 'authorization_code',
      redirect_uri: asking.redirectUri,
    });
    const second = new URL(network.asked[1]?.url ?? '');
    expect(second.pathname).toBe('/access_token');
    expect(Object.fromEntries(second.searchParams)).toEqual({
      grant_type: 'th_exchange_token',
      client_secret: 'hush',
      access_token: 'short',
    });
  });

  test('a person is sent without a challenge', () => {
    expect(Object.fromEntries(new URL(threads.authorizeUrl(asking)).searchParams)).toEqual({
      client_id: 'app',
      redirect_uri: asking.redirectUri,
      scope: 'threads_basic,threads_content_publish',
      response_type: 'code',
      state: 'st',
    });
  });

  test.each<[string, Scripted, object]>([
    [
      'a dead token',
      jsonAnswer(500, { error: { code: 190, message: 'Error validating access token' } }),
      { kind: 'refused' },
    ],
    ['a token too young', jsonAnswer(400, { error: { code: 100, message: 'too young' } }), { kind: 'refused' }],
    [
      'our own credentials',
      jsonAnswer(400, { error: { code: 101, message: 'Error validating application' } }),
      { kind: 'unavailable' },
    ],
    ['trouble', jsonAnswer(500, { error: { code: 2, message: 'm', is_transient: true } }), { kind: 'unavailable' }],
    [
      'the page of a proxy',
      { status: 403, headers: {}, body: '<h1>Blocked</h1>' },
      { kind: 'unavailable', sent: true },
    ],
    ['a limit', jsonAnswer(400, { error: { code: 4, message: 'm' } }), { kind: 'unavailable' }],
    ['a lost answer', { cut: 'after' }, { kind: 'unavailable', sent: true }],
    ['no connection', { cut: 'before' }, { kind: 'unavailable', sent: false }],
    [
      'a longer life',
      jsonAnswer(200, { access_token: 'newer', expires_in: 5_184_000 }),
      { kind: 'ok', value: { accessToken: 'newer', refreshToken: null } },
    ],
  ])('a refresh meets %s', async (_name, scripted, expected) => {
    const network = scriptedNetwork(scripted);
    expect(await threads.refresh(network.http, long, NOW)).toMatchObject(expected);
    expect(network.asked[0]?.url).toBe(
      'https://t.test/refresh_access_token?grant_type=th_refresh_token&access_token=old-long',
    );
  });

  test('echoed secrets are blotted out', async () => {
    const network = scriptedNetwork(jsonAnswer(400, { error: { code: 100, message: 'hush and old-long' } }));
    const answer = JSON.stringify(await threads.refresh(network.http, long, NOW));
    expect(answer).not.toContain('hush');
    expect(answer).not.toContain('old-long');
  });

  test('a profile', async () => {
    const network = scriptedNetwork(
      jsonAnswer(200, { id: '178', username: 'ada', name: 'Ada', threads_profile_picture_url: 'https://p.test/a.jpg' }),
    );
    expect(await threads.accounts(network.http, TOKENS, NOW)).toEqual({
      kind: 'ok',
      value: [
        { tokens: TOKENS, accountId: '178', username: 'ada', name: 'Ada', avatarUrl: 'https://p.test/a.jpg', kind: '' },
      ],
    });
  });

  test('refreshed weekly, never younger than a day', () => {
    expect(threads.refreshDueAt(long, NOW)).toBe(NOW + 7 * DAY_MS);
    expect(threads.refreshDueAt({ ...long, expiresAt: NOW + 3 * DAY_MS }, NOW)).toBe(NOW + DAY_MS);
  });
});
