import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { NetworkEndpoints } from '../contract/adapter.ts';
import { byFacebookLogin, createInstagramAuth } from './auth.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const NEVER = Date.UTC(2100, 0, 1);
const endpoints: NetworkEndpoints = {
  ...{ api: 'https://ig.test', authorize: 'https://ig.test/oauth/authorize', site: 'https://i.test' },
  hosts: {
    token: 'https://token.test',
    facebook: 'https://fb.test',
    facebookAuthorize: 'https://fb.test/v25.0/dialog/oauth',
  },
  ...{ clientId: 'app', clientSecret: 'hush' },
};
const byInstagram = createInstagramAuth(endpoints);
const byFacebook = createInstagramAuth(byFacebookLogin(endpoints));
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'v' };
const coming = { code: 'code-1#_', redirectUri: asking.redirectUri, verifier: 'v', now: NOW };
const own = { accessToken: 'own-token', refreshToken: null, expiresAt: NOW + 60 * DAY_MS };
const ofPage = { accessToken: 'page-token', refreshToken: null, expiresAt: NEVER };
const queryOf = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams);
const refusal = (code: number, message = 'm') => jsonAnswer(400, { error: { code, message } });

describe('Instagram Login', () => {
  test('a person is sent to Instagram', () => {
    const url = byInstagram.authorizeUrl(asking);
    expect(url).toMatch(/^https:\/\/ig\.test\/oauth\/authorize\?/);
    expect(queryOf(url)).toEqual({
      client_id: 'app',
      redirect_uri: asking.redirectUri,
      response_type: 'code',
      scope: 'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments',
      state: 'st',
    });
  });

  test('an app that lacks the permission to comment is not asked for it, and still for what publishing needs', () => {
    const scopes = ['instagram_business_basic'];
    const url = createInstagramAuth({ ...endpoints, signIn: { scopes } }).authorizeUrl(asking);
    expect(queryOf(url)['scope']).toBe('instagram_business_basic,instagram_business_content_publish');
  });

  const long = jsonAnswer(200, { access_token: 'long', token_type: 'bearer', expires_in: 5_183_944 });
  test.each<[string, string]>([
    [
      'flat, its id a number beyond 2^53',
      '{"access_token":"short","user_id":17841400000000000001,"permissions":["instagram_business_basic","instagram_business_content_publish"]}',
    ],
    [
      'wrapped',
      '{"data":[{"access_token":"short","user_id":"178","permissions":"instagram_business_basic,instagram_business_content_publish"}]}',
    ],
    ['without its permissions', '{"access_token":"short","user_id":"178"}'],
  ])('a code becomes a token of 60 days; an answer that is %s', async (_name, body) => {
    const network = scriptedNetwork({ status: 200, headers: {}, body }, long);
    expect(await byInstagram.exchange(network.http, coming)).toEqual({
      kind: 'ok',
      value: { accessToken: 'long', refreshToken: null, expiresAt: NOW + 5_183_944_000 },
    });
    expect(network.asked[0]).toMatchObject({ method: 'POST', url: 'https://token.test/oauth/access_token' });
    expect(Object.fromEntries(new URLSearchParams(String(network.asked[0]?.body)))).toEqual({
      ...{
        client_id: 'app',
        client_secret: 'hush',
        grant_type: 'authorization_code',
        redirect_uri: asking.redirectUri,
        code: 'code-1',
      },
    });
    expect(network.asked[1]?.url).toContain('https://ig.test/access_token?');
    expect(queryOf(network.asked[1]?.url)).toEqual({
      grant_type: 'ig_exchange_token',
      client_secret: 'hush',
      access_token: 'short',
    });
  });

  test.each<[string, readonly Scripted[], object]>([
    [
      'a permission that was left out',
      [jsonAnswer(200, { access_token: 'short', permissions: ['instagram_business_basic'] })],
      { kind: 'refused', summary: { detail: expect.stringContaining('instagram_business_content_publish') } },
    ],
    [
      'a code used before',
      [
        jsonAnswer(400, {
          error_type: 'OAuthException',
          code: 400,
          error_message: 'Matching code was not found or was already used',
        }),
      ],
      { kind: 'refused', summary: { detail: 'Matching code was not found or was already used' } },
    ],
    [
      'our own credentials',
      [jsonAnswer(400, { error_type: 'OAuthException', code: 400, error_message: 'Error validating client secret' })],
      { kind: 'unavailable' },
    ],
    ['no connection', [{ cut: 'before' }], { kind: 'unavailable', sent: false }],
    [
      'a token that was lost',
      [jsonAnswer(200, { access_token: 'short' }), { cut: 'before' }],
      { kind: 'unavailable', sent: true },
    ],
  ])('the exchange meets %s', async (_name, script, expected) => {
    expect(await byInstagram.exchange(scriptedNetwork(...script).http, coming)).toMatchObject(expected);
  });

  test.each<[string, object, object]>([
    ['a business', { account_type: 'BUSINESS' }, { kind: 'ok', value: [{ kind: 'business' }] }],
    ['a creator', { account_type: 'MEDIA_CREATOR' }, { kind: 'ok', value: [{ kind: 'media_creator' }] }],
    ['a person', { account_type: 'PERSONAL' }, { kind: 'refused' }],
  ])('the account of %s', async (_name, more, expected) => {
    const profile = {
      id: '9',
      user_id: '178',
      username: 'ada',
      name: 'Ada',
      profile_picture_url: 'https://p.test/a',
      ...more,
    };
    for (const body of [profile, { data: [profile] }]) {
      const network = scriptedNetwork(jsonAnswer(200, body));
      expect(await byInstagram.accounts(network.http, own, NOW)).toMatchObject(expected);
      expect(network.asked[0]).toMatchObject({
        url: 'https://ig.test/v25.0/me?fields=user_id,username,name,profile_picture_url,account_type',
        headers: { authorization: 'Bearer own-token' },
      });
    }
  });

  test('an account is known by the id of its posts, exactly', async () => {
    const network = scriptedNetwork({
      status: 200,
      headers: {},
      body: '{"user_id":17841400000000000001,"username":"ada","account_type":"BUSINESS"}',
    });
    expect(await byInstagram.accounts(network.http, own, NOW)).toEqual({
      kind: 'ok',
      value: [
        {
          accountId: '17841400000000000001',
          username: 'ada',
          name: 'ada',
          avatarUrl: null,
          kind: 'business',
          tokens: own,
        },
      ],
    });
  });

  test.each<[string, Scripted, object]>([
    [
      'a longer life',
      jsonAnswer(200, { access_token: 'newer', expires_in: 5_184_000 }),
      { kind: 'ok', value: { accessToken: 'newer', expiresAt: NOW + 5_184_000_000 } },
    ],
    ['a dead token', refusal(190), { kind: 'refused' }],
    ['a token too young', refusal(100), { kind: 'refused' }],
    ['an app that Meta has blocked', refusal(200, 'API access blocked.'), { kind: 'unavailable' }],
    [
      'an app that Meta has switched off',
      refusal(200, 'API access deactivated. To reactivate, go to the app dashboard.'),
      { kind: 'unavailable' },
    ],
    ['trouble', refusal(2), { kind: 'unavailable' }],
    ['a limit', refusal(4), { kind: 'unavailable' }],
    ['a lost answer', { cut: 'after' }, { kind: 'unavailable', sent: true }],
  ])('a refresh meets %s', async (_name, scripted, expected) => {
    const network = scriptedNetwork(scripted);
    expect(await byInstagram.refresh(network.http, own, NOW)).toMatchObject(expected);
    expect(network.asked[0]?.url).toBe(
      'https://ig.test/refresh_access_token?grant_type=ig_refresh_token&access_token=own-token',
    );
  });

  test('refreshed weekly, never younger than a day', () => {
    expect(byInstagram.refreshDueAt(own, NOW)).toBe(NOW + 7 * DAY_MS);
    expect(byInstagram.refreshDueAt({ ...own, expiresAt: NOW + 3 * DAY_MS }, NOW)).toBe(NOW + DAY_MS);
  });
});

describe('Facebook Login', () => {
  const NEEDED = ['instagram_basic', 'instagram_content_publish', 'pages_show_list', 'pages_read_engagement'];
  const SCOPES = [...NEEDED, 'instagram_manage_comments', 'business_management'];
  const granted = jsonAnswer(200, { data: NEEDED.map((permission) => ({ permission, status: 'granted' })) });
  const linked = { id: '178', username: 'ada', name: 'Ada', profile_picture_url: 'https://p.test/a' };

  test('a person is sent to Facebook', () => {
    const url = byFacebook.authorizeUrl(asking);
    expect(url).toMatch(/^https:\/\/fb\.test\/v25\.0\/dialog\/oauth\?/);
    expect(queryOf(url)['scope']).toBe(SCOPES.join(','));
  });

  test('an app of the kind Business names its configuration in place of scopes', () => {
    const auth = createInstagramAuth(byFacebookLogin({ ...endpoints, signIn: { configId: '42' } }));
    expect(queryOf(auth.authorizeUrl(asking))).toEqual({
      ...{ client_id: 'app', redirect_uri: asking.redirectUri, state: 'st', response_type: 'code' },
      ...{ config_id: '42', override_default_response_type: 'true' },
    });
  });

  test('an app that lacks optional permissions is not asked for them', () => {
    const auth = createInstagramAuth(byFacebookLogin({ ...endpoints, signIn: { scopes: ['business_management'] } }));
    expect(queryOf(auth.authorizeUrl(asking))['scope']).toBe([...NEEDED, 'business_management'].join(','));
  });

  test('the accounts are those of Pages, published to with their tokens', async () => {
    const pages = [
      { id: '1', name: 'P', access_token: 'token-1', tasks: ['CREATE_CONTENT'], instagram_business_account: linked },
      { id: '2', name: 'Q', access_token: 'token-2', tasks: ['CREATE_CONTENT'] },
      {
        id: '3',
        name: 'R',
        access_token: 'token-3',
        tasks: ['ANALYZE'],
        instagram_business_account: { ...linked, id: '179' },
      },
    ];
    const asTokenSays = jsonAnswer(200, { data: { user_id: '42', granular_scopes: [{ scope: 'pages_show_list' }] } });
    const network = scriptedNetwork(granted, jsonAnswer(200, { data: pages }), asTokenSays);
    expect(await byFacebook.accounts(network.http, own, NOW)).toEqual({
      kind: 'ok',
      value: [
        {
          accountId: '178',
          username: 'ada',
          name: 'Ada',
          avatarUrl: 'https://p.test/a',
          kind: 'business',
          facts: { login: 'facebook', personId: '42' },
          tokens: { accessToken: 'token-1', refreshToken: null, expiresAt: NEVER },
        },
      ],
    });
    expect(network.asked[1]?.url).toContain('https://fb.test/v25.0/me/accounts?');
  });

  test('those of a business portfolio are found by what the token was granted for', async () => {
    const network = scriptedNetwork(
      granted,
      jsonAnswer(200, { data: [] }),
      jsonAnswer(200, { data: { user_id: '42', granular_scopes: [{ scope: 'pages_show_list', target_ids: ['1'] }] } }),
      jsonAnswer(200, { id: '1', name: 'P', access_token: 'token-1', instagram_business_account: linked }),
    );
    expect(await byFacebook.accounts(network.http, own, NOW)).toMatchObject({
      kind: 'ok',
      value: [{ accountId: '178' }],
    });
  });

  test('a permission that was left out refuses', async () => {
    const network = scriptedNetwork(jsonAnswer(200, { data: [{ permission: 'instagram_basic', status: 'granted' }] }));
    expect(await byFacebook.accounts(network.http, own, NOW)).toMatchObject({ kind: 'refused' });
  });
});

test.each([
  ['Instagram', byInstagram],
  ['Facebook', byFacebook],
])('accounts of both logins are kept up, whichever new ones come by: %s', async (_name, auth) => {
  const page = scriptedNetwork(jsonAnswer(200, { data: { is_valid: true } }));
  expect(await auth.refresh(page.http, ofPage, NOW)).toEqual({ kind: 'ok', value: ofPage });
  expect(page.asked[0]?.url).toContain('https://fb.test/v25.0/debug_token?');
  expect(auth.refreshDueAt(ofPage, NOW)).toBe(NEVER);
  const person = scriptedNetwork(jsonAnswer(200, { access_token: 'newer', expires_in: 60 }));
  expect(await auth.refresh(person.http, own, NOW)).toMatchObject({ kind: 'ok', value: { accessToken: 'newer' } });
  expect(auth.refreshDueAt(own, NOW)).toBe(NOW + 7 * DAY_MS);
});

const DEAD = 'Error validating access token: The user has changed the password.';
test.each<[string, Scripted, object]>([
  [
    'is dead where it is refused itself',
    refusal(190, DEAD),
    { kind: 'refused', summary: { detail: expect.stringContaining(DEAD) } },
  ],
  ['is good where it is answered', jsonAnswer(200, { id: '42' }), { kind: 'ok', value: ofPage }],
  ['is not judged where nobody answers', { cut: 'after' }, { kind: 'unavailable' }],
  ['is not judged amid trouble', jsonAnswer(503, {}), { kind: 'unavailable' }],
])('a token of a Page that the app of the other login can not inspect %s', async (_name, answered, expected) => {
  for (const code of [100, 101, 190]) {
    const network = scriptedNetwork(refusal(code, 'Error validating application.'), answered);
    expect(await byInstagram.refresh(network.http, ofPage, NOW)).toMatchObject(expected);
    expect(network.asked[1]).toMatchObject({
      url: 'https://fb.test/v25.0/me?fields=id',
      headers: { authorization: `Bearer ${ofPage.accessToken}` },
    });
  }
});
