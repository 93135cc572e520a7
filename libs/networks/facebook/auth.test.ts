import { describe, expect, test } from 'vitest';
import type { HttpClient } from '#ports/http-client.ts';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { createFacebookAuth } from './auth.ts';

const NOW = Date.UTC(2026, 10, 20);
const endpoints = {
  api: 'https://graph.test',
  authorize: 'https://dialog.test/v25.0/dialog/oauth',
  site: 'https://f.test',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
};
const auth = createFacebookAuth(endpoints);
const forBusiness = createFacebookAuth({ ...endpoints, signIn: { configId: '4711' } });
const person = { accessToken: 'person-token', refreshToken: null, expiresAt: NOW };
const pageTokens = { accessToken: 'page-token', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) };
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'v' };
const queryOf = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams);
const refusal = (code: number, message = 'm') => jsonAnswer(400, { error: { code, message } });
const NEEDED = ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts'];
const ASKED = [...NEEDED, 'pages_manage_engagement', 'business_management'];
const granted = jsonAnswer(200, { data: ASKED.map((permission) => ({ permission, status: 'granted' })) });
/** What Facebook says of a token that was granted `scopes`, for the Pages `ids`; null: for whatever there is. */
const grantedFor = (ids: readonly unknown[] | null, scopes: readonly string[] = ASKED) =>
  jsonAnswer(200, {
    data: {
      is_valid: true,
      user_id: '4242',
      scopes,
      granular_scopes: scopes.map((scope) => (ids === null ? { scope } : { scope, target_ids: ids })),
    },
  });
const jsonBody = (body: object) => ({ status: 200, headers: {}, body: JSON.stringify(body) });
const page = (id: string, more: object = {}) => ({
  id,
  name: `Page ${id}`,
  username: `page${id}`,
  access_token: `token-${id}`,
  tasks: ['CREATE_CONTENT'],
  picture: { data: { url: `https://p.test/${id}` } },
  ...more,
});

test('a person is sent to the dialog', () => {
  const url = auth.authorizeUrl(asking);
  expect(url).toMatch(/^https:\/\/dialog\.test\/v25\.0\/dialog\/oauth\?/);
  expect(queryOf(url)).toEqual({
    client_id: 'app',
    redirect_uri: asking.redirectUri,
    state: 'st',
    response_type: 'code',
    scope: ASKED.join(','),
    auth_type: 'rerequest',
  });
});

test('with a configuration of Facebook Login for Business, that says what a person is asked for', () => {
  expect(queryOf(forBusiness.authorizeUrl(asking))).toEqual({
    client_id: 'app',
    redirect_uri: asking.redirectUri,
    state: 'st',
    response_type: 'code',
    config_id: '4711',
    override_default_response_type: 'true',
  });
});

describe('a code', () => {
  const exchange = (...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    return {
      asked: network.asked,
      answer: auth.exchange(network.http, { code: 'code-1', redirectUri: asking.redirectUri, verifier: 'v', now: NOW }),
    };
  };

  test('becomes a long-lived token', async () => {
    const { answer, asked } = exchange(
      jsonAnswer(200, { access_token: 'short', token_type: 'bearer' }),
      jsonAnswer(200, { access_token: 'long', expires_in: 5_183_944 }),
    );
    expect(await answer).toEqual({
      kind: 'ok',
      value: { accessToken: 'long', refreshToken: null, expiresAt: NOW + 5_183_944_000 },
    });
    expect(asked[0]?.url).toContain('https://graph.test/v25.0/oauth/access_token?');
    expect(queryOf(asked[0]?.url)).toEqual({
      client_id: 'app',
      client_secret: 'hush',
      redirect_uri: asking.redirectUri,
      code: 'code-1',
    });
    expect(queryOf(asked[1]?.url)).toEqual({
      grant_type: 'fb_exchange_token',
      client_id: 'app',
      client_secret: 'hush',
      fb_exchange_token: 'short',
    });
  });

  test.each<[string, readonly Scripted[], object]>([
    ['used before', [refusal(100, 'This authorization code has been used.')], { kind: 'refused' }],
    ['and our own credentials', [refusal(1, 'Error validating client secret.')], { kind: 'unavailable' }],
    ['and our own app', [refusal(101, 'Error validating application.')], { kind: 'unavailable' }],
    ['and trouble', [jsonAnswer(503, {})], { kind: 'unavailable', sent: true }],
    ['and no connection', [{ cut: 'before' }], { kind: 'unavailable', sent: false }],
    [
      'spent on a token that was lost',
      [jsonAnswer(200, { access_token: 'short' }), { cut: 'before' }],
      { kind: 'unavailable', sent: true },
    ],
  ])('%s', async (_name, script, expected) => {
    const answer = await exchange(...script).answer;
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toMatch(/hush|short"/);
  });
});

describe('the accounts', () => {
  const accounts = (...script: Scripted[]) => accountsBy(auth, ...script);
  const accountsBy = (by: typeof auth, ...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    return { asked: network.asked, answer: by.accounts(network.http, person, NOW) };
  };

  test('are the Pages, all of them, each with its own token', async () => {
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, {
        data: [page('1'), page('2', { tasks: ['ANALYZE'] })],
        paging: { next: 'https://graph.test/v25.0/me/accounts?after=x' },
      }),
      jsonAnswer(200, { data: [page('3', { username: undefined })] }),
      grantedFor(['1', '2', '3']),
    );
    expect(await answer).toEqual({
      kind: 'ok',
      value: [
        {
          accountId: '1',
          username: 'page1',
          name: 'Page 1',
          avatarUrl: 'https://p.test/1',
          kind: 'page',
          facts: { personId: '4242' },
          tokens: { accessToken: 'token-1', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) },
        },
        {
          accountId: '3',
          username: '3',
          name: 'Page 3',
          avatarUrl: 'https://p.test/3',
          kind: 'page',
          facts: { personId: '4242' },
          tokens: { accessToken: 'token-3', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) },
        },
      ],
    });
    expect(queryOf(asked[1]?.url)).toEqual({
      fields: 'id,name,username,access_token,tasks,picture.type(large){url}',
      limit: '100',
    });
    expect(asked[2]).toMatchObject({
      url: 'https://graph.test/v25.0/me/accounts?after=x',
      headers: { authorization: 'Bearer person-token' },
    });
  });

  test('the person may not publish to are none', async () => {
    const listed = jsonAnswer(200, { data: [page('2', { tasks: ['ANALYZE'] })] });
    expect(await accounts(granted, listed, grantedFor(['2'])).answer).toEqual({ kind: 'ok', value: [] });
  });

  test.each(['CREATE_CONTENT', 'PROFILE_PLUS_CREATE_CONTENT'])('may be published to with the task %s', async (task) => {
    const listed = jsonAnswer(200, { data: [page('2', { tasks: ['ANALYZE', task] })] });
    expect(await accounts(granted, listed, grantedFor(['2'])).answer).toMatchObject({ value: [{ accountId: '2' }] });
  });

  test('of a business portfolio join those that are listed, each once', async () => {
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, { data: [page('1'), page('2', { tasks: ['ANALYZE'] })] }),
      grantedFor(['1', '5', '2', '5']),
      jsonAnswer(200, page('5', { tasks: undefined })),
    );
    const found = await answer;
    expect(found).toMatchObject({ kind: 'ok', value: [{ accountId: '1' }, { accountId: '5' }] });
    expect(asked).toHaveLength(4);
  });

  test('of a large business portfolio are read several at once, in the order of the grant', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `${100 + index}`);
    let [underWay, most] = [0, 0];
    const byId = async (id: string) => {
      most = Math.max(most, ++underWay);
      // The first of several is the last to be answered.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      underWay -= 1;
      return jsonBody(page(id));
    };
    const network = scriptedNetwork(granted, jsonAnswer(200, { data: [] }), grantedFor(ids));
    const http: HttpClient = {
      send: (request) => {
        const id = new URL(request.url).pathname.split('/').at(-1)!;
        return ids.includes(id) ? byId(id) : network.http.send(request);
      },
    };
    const answer = await auth.accounts(http, person, NOW);
    expect(answer.kind === 'ok' && answer.value.map(({ accountId }) => accountId)).toEqual(ids);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  });

  test.each<[string, Scripted]>([
    ['can not be asked about', { cut: 'after' }],
    ['meets trouble', refusal(2)],
    ['names no scope', jsonAnswer(200, { data: { is_valid: true } })],
    ['is for whatever there is', grantedFor(null)],
  ])('are those that are listed where the token %s', async (_name, inspected) => {
    const owner = jsonAnswer(200, { id: '4242' });
    const { answer } = accounts(granted, jsonAnswer(200, { data: [page('1')] }), inspected, owner);
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ accountId: '1' }] });
  });

  test('have the id of the person from the token itself where its inspection fails', async () => {
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, { data: [page('1')] }),
      refusal(2),
      jsonAnswer(200, { id: '4242' }),
    );
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ accountId: '1', facts: { personId: '4242' } }] });
    expect(asked[3]).toMatchObject({
      url: 'https://graph.test/v25.0/me?fields=id',
      headers: { authorization: 'Bearer person-token' },
    });
  });

  test.each<[string, Scripted]>([
    ['a lost answer', { cut: 'after' }],
    ['trouble', refusal(2)],
    ['an answer without it', jsonAnswer(200, {})],
  ])('are not connected without the id of the person, whose requests would not find them: %s', async (_name, last) => {
    const { answer } = accounts(granted, jsonAnswer(200, { data: [page('1')] }), refusal(2), last);
    expect(await answer).toMatchObject({ kind: 'unavailable' });
  });

  test.each(['business_management', 'pages_manage_engagement'])('are found without %s', async (declined) => {
    const permissions = ASKED.map((permission) => ({
      permission,
      status: permission === declined ? 'declined' : 'granted',
    }));
    const { answer } = accounts(
      jsonAnswer(200, { data: permissions }),
      jsonAnswer(200, { data: [page('1')] }),
      grantedFor(['1']),
    );
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ accountId: '1' }] });
  });

  test('by a configuration are those that the token itself was granted', async () => {
    const { answer, asked } = accountsBy(
      forBusiness,
      grantedFor(['1'], NEEDED),
      jsonAnswer(200, { data: [page('1')] }),
      grantedFor(['1'], NEEDED),
    );
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ accountId: '1' }] });
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v25.0/debug_token',
      '/v25.0/me/accounts',
      '/v25.0/debug_token',
    ]);
  });

  test.each<[string, Scripted, object]>([
    [
      'lacks a permission',
      grantedFor(['1'], ['pages_show_list', 'pages_manage_posts']),
      { kind: 'refused', summary: { detail: expect.stringMatching(/configuration.*: pages_read_engagement$/) } },
    ],
    ['gave a dead token', jsonAnswer(200, { data: { is_valid: false, scopes: ASKED } }), { kind: 'refused' }],
    ['can not be asked about', { cut: 'after' }, { kind: 'unavailable' }],
  ])('by a configuration that %s are none', async (_name, inspected, expected) => {
    expect(await accountsBy(forBusiness, inspected).answer).toMatchObject(expected);
  });

  test('of a business portfolio are found by what the token was granted for', async () => {
    const scopes = [
      { scope: 'pages_show_list' },
      { scope: 'pages_manage_posts', target_ids: ['5', 61555000000000001, '7'] },
    ];
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, { data: [] }),
      jsonAnswer(200, { data: { is_valid: true, user_id: '4242', granular_scopes: scopes } }),
      jsonAnswer(200, page('5', { tasks: undefined })),
      refusal(100),
      jsonAnswer(200, { id: '7', name: 'No role there' }),
    );
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ accountId: '5', tokens: { accessToken: 'token-5' } }] });
    expect(queryOf(asked[2]?.url)).toEqual({ input_token: 'person-token', access_token: 'app|hush' });
    expect(asked[3]?.url).toBe(
      `https://graph.test/v25.0/5?${new URLSearchParams({ fields: 'id,name,username,access_token,picture{url}' })}`,
    );
  });

  test.each<[string, readonly Scripted[], object]>([
    [
      'a permission that was declined',
      [
        jsonAnswer(200, {
          data: [
            { permission: 'pages_show_list', status: 'granted' },
            { permission: 'pages_manage_posts', status: 'declined' },
          ],
        }),
      ],
      { kind: 'refused', summary: { detail: expect.stringContaining('pages_read_engagement, pages_manage_posts') } },
    ],
    [
      'no granular scope',
      [granted, jsonAnswer(200, { data: [] }), jsonAnswer(200, { data: { granular_scopes: [] } })],
      { kind: 'refused' },
    ],
    [
      'a scope for whatever there is, which is nothing',
      [
        granted,
        jsonAnswer(200, { data: [] }),
        jsonAnswer(200, { data: { granular_scopes: [{ scope: 'pages_manage_posts' }] } }),
      ],
      { kind: 'ok', value: [] },
    ],
    ['a dead token', [refusal(190)], { kind: 'refused' }],
    ['trouble on the way', [granted, jsonAnswer(503, {})], { kind: 'unavailable' }],
    [
      'a next page that is elsewhere',
      [granted, jsonAnswer(200, { data: [page('1')], paging: { next: 'https://evil.test/x' } }), grantedFor(['1'])],
      { kind: 'ok', value: [{ accountId: '1' }] },
    ],
  ])('%s', async (_name, script, expected) => {
    expect(await accounts(...script).answer).toMatchObject(expected);
  });
});

describe('a token of a Page', () => {
  test.each<[string, Scripted, object]>([
    ['lives: it is the same', jsonAnswer(200, { data: { is_valid: true } }), { kind: 'ok', value: pageTokens }],
    [
      'was ended',
      jsonAnswer(200, { data: { is_valid: false, error: { code: 190, message: 'The session was invalidated' } } }),
      { kind: 'refused', summary: { detail: 'The session was invalidated' } },
    ],
    [
      'is no token',
      jsonAnswer(200, { data: { is_valid: false, error: { code: 190, message: 'Invalid OAuth access token.' } } }),
      { kind: 'refused' },
    ],
    ['can not be asked about with this secret of our app', refusal(190), { kind: 'unavailable' }],
    ['can not be asked about without a token of our app', refusal(100), { kind: 'unavailable' }],
    ['can not be asked about, for trouble', jsonAnswer(500, {}), { kind: 'unavailable' }],
    ['can not be asked about, for a limit', refusal(4), { kind: 'unavailable' }],
    ['can not be asked about by our app', refusal(101), { kind: 'unavailable' }],
  ])('%s', async (_name, scripted, expected) => {
    // Where it was refused to our app, the token itself is asked, and meets trouble.
    const network = scriptedNetwork(scripted, jsonAnswer(503, {}));
    expect(await auth.refresh(network.http, pageTokens, NOW)).toMatchObject(expected);
    expect(queryOf(network.asked[0]?.url)).toEqual({ input_token: 'page-token', access_token: 'app|hush' });
  });

  test('is never refreshed of itself', () => {
    expect(auth.refreshDueAt(pageTokens, NOW)).toBe(pageTokens.expiresAt);
  });
});

test('a Page that is disconnected leaves the access of the person as it is: it is that of their other Pages, too', () => {
  expect(auth.revoke).toBeUndefined();
});
