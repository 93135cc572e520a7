import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { createFacebookAuth } from './auth.ts';

const NOW = Date.UTC(2026, 10, 20);
const auth = createFacebookAuth({
  api: 'https://graph.test',
  authorize: 'https://dialog.test/v25.0/dialog/oauth',
  site: 'https://f.test',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
});
const person = { accessToken: 'person-token', refreshToken: null, expiresAt: NOW };
const pageTokens = { accessToken: 'page-token', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) };
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'v' };
const queryOf = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams);
const refusal = (code: number, message = 'm') => jsonAnswer(400, { error: { code, message } });
const SCOPES = ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts'];
const granted = jsonAnswer(200, { data: SCOPES.map((permission) => ({ permission, status: 'granted' })) });
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
    scope: SCOPES.join(','),
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
  const accounts = (...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    return { asked: network.asked, answer: auth.accounts(network.http, person, NOW) };
  };

  test('are the Pages, all of them, each with its own token', async () => {
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, {
        data: [page('1'), page('2', { tasks: ['ANALYZE'] })],
        paging: { next: 'https://graph.test/v25.0/me/accounts?after=x' },
      }),
      jsonAnswer(200, { data: [page('3', { username: undefined })] }),
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
          tokens: { accessToken: 'token-1', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) },
        },
        {
          accountId: '3',
          username: '3',
          name: 'Page 3',
          avatarUrl: 'https://p.test/3',
          kind: 'page',
          tokens: { accessToken: 'token-3', refreshToken: null, expiresAt: Date.UTC(2100, 0, 1) },
        },
      ],
    });
    expect(queryOf(asked[1]?.url)).toEqual({
      fields:
        'id,name,username,access_token,tasks,picture.type(large){url},instagram_business_account{id,username,name,profile_picture_url}',
      limit: '100',
    });
    expect(asked[2]).toMatchObject({
      url: 'https://graph.test/v25.0/me/accounts?after=x',
      headers: { authorization: 'Bearer person-token' },
    });
  });

  test('the person may not publish to are none', async () => {
    expect(await accounts(granted, jsonAnswer(200, { data: [page('2', { tasks: ['ANALYZE'] })] })).answer).toEqual({
      kind: 'ok',
      value: [],
    });
  });

  test('of a business portfolio are found by what the token was granted for', async () => {
    const scopes = [
      { scope: 'pages_show_list' },
      { scope: 'pages_manage_posts', target_ids: ['5', 61555000000000001, '7'] },
    ];
    const { answer, asked } = accounts(
      granted,
      jsonAnswer(200, { data: [] }),
      jsonAnswer(200, { data: { is_valid: true, granular_scopes: scopes } }),
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
      [granted, jsonAnswer(200, { data: [page('1')], paging: { next: 'https://evil.test/x' } })],
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
    ['is no token', refusal(190), { kind: 'refused' }],
    ['can not be asked about, for trouble', jsonAnswer(500, {}), { kind: 'unavailable' }],
    ['can not be asked about, for a limit', refusal(4), { kind: 'unavailable' }],
    ['can not be asked about by our app', refusal(101), { kind: 'unavailable' }],
  ])('%s', async (_name, scripted, expected) => {
    const network = scriptedNetwork(scripted);
    expect(await auth.refresh(network.http, pageTokens, NOW)).toMatchObject(expected);
    expect(queryOf(network.asked[0]?.url)).toEqual({ input_token: 'page-token', access_token: 'app|hush' });
  });

  test('is never refreshed of itself', () => {
    expect(auth.refreshDueAt(pageTokens, NOW)).toBe(pageTokens.expiresAt);
  });
});
