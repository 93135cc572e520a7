import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { Tokens } from '../contract/adapter.ts';
import { createTikTokAuth } from './auth.ts';

const NOW = Date.UTC(2026, 10, 20);
const endpoints = {
  api: 'https://t.test',
  authorize: 'https://www.t.test/v2/auth/authorize/',
  site: 'https://t.test',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
};
const auth = createTikTokAuth(endpoints);
const pair: Tokens = { accessToken: 'act.old', refreshToken: 'rft.old', expiresAt: NOW };
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'v' };
const SCOPES = 'user.info.basic,video.publish,user.info.profile,video.list';
const fieldsOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));
const given = (more: object = {}) =>
  jsonAnswer(200, {
    access_token: 'act.new',
    expires_in: 86_400,
    open_id: 'o1',
    refresh_expires_in: 31_536_000,
    refresh_token: 'rft.new',
    scope: SCOPES,
    token_type: 'Bearer',
    ...more,
  });
const refused = (status: number, error: string) =>
  jsonAnswer(status, { error, error_description: `${error} of rft.old by hush`, log_id: 'l' });

test('a person is sent to TikTok', () => {
  const url = new URL(auth.authorizeUrl(asking));
  expect(url.origin + url.pathname).toBe('https://www.t.test/v2/auth/authorize/');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_key: 'app',
    scope: SCOPES,
    response_type: 'code',
    redirect_uri: asking.redirectUri,
    state: 'st',
  });
});

test('an app that was given fewer scopes asks for these only', () => {
  const scopes = ['user.info.basic', 'video.publish'];
  const url = new URL(createTikTokAuth({ ...endpoints, signIn: { scopes } }).authorizeUrl(asking));
  expect(url.searchParams.get('scope')).toBe('user.info.basic,video.publish');
});

describe('a code', () => {
  const exchange = (scripted: Scripted) => {
    const network = scriptedNetwork(scripted);
    return {
      asked: network.asked,
      answer: auth.exchange(network.http, { code: 'c*1!', redirectUri: asking.redirectUri, verifier: 'v', now: NOW }),
    };
  };

  test('becomes a pair of tokens', async () => {
    const { asked, answer } = exchange(given());
    expect(await answer).toEqual({
      kind: 'ok',
      value: { accessToken: 'act.new', refreshToken: 'rft.new', expiresAt: NOW + 86_400_000 },
    });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://t.test/v2/oauth/token/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(fieldsOf(asked[0]?.body)).toEqual({
      client_key: 'app',
      client_secret: 'hush',
      code: 'c*1!',
      grant_type: 'authorization_code',
      redirect_uri: asking.redirectUri,
    });
  });

  test('of a person who does not let us publish is refused', async () => {
    expect(await exchange(given({ scope: 'user.info.basic,video.list' })).answer).toMatchObject({
      kind: 'refused',
      summary: { detail: expect.stringContaining('video.publish') },
    });
  });

  test('of a person who keeps the name and the list private is taken', async () => {
    expect(await exchange(given({ scope: 'user.info.basic,video.publish' })).answer).toMatchObject({ kind: 'ok' });
  });
});

describe('a refresh', () => {
  const refresh = (scripted: Scripted) => {
    const network = scriptedNetwork(scripted);
    return { asked: network.asked, answer: auth.refresh(network.http, pair, NOW) };
  };

  test('brings another refresh token each time', async () => {
    const { asked, answer } = refresh(given());
    expect(await answer).toMatchObject({ kind: 'ok', value: { accessToken: 'act.new', refreshToken: 'rft.new' } });
    expect(fieldsOf(asked[0]?.body)).toEqual({
      client_key: 'app',
      client_secret: 'hush',
      grant_type: 'refresh_token',
      refresh_token: 'rft.old',
    });
  });

  test('that brings none leaves the old one good', async () => {
    expect(await refresh(given({ refresh_token: undefined })).answer).toMatchObject({
      kind: 'ok',
      value: { refreshToken: 'rft.old' },
    });
  });

  test.each<[string, Scripted, object]>([
    ['a dead token, told with 200', refused(200, 'invalid_grant'), { kind: 'refused' }],
    ['a dead token, told with 400', refused(400, 'invalid_grant'), { kind: 'refused' }],
    ['an invalid request', refused(200, 'invalid_request'), { kind: 'refused' }],
    ['our own credentials', refused(200, 'invalid_client'), { kind: 'unavailable', sent: false }],
    ['our own mistake', refused(400, 'unsupported_grant_type'), { kind: 'unavailable', sent: false }],
    ['trouble, told with 200', refused(200, 'server_error'), { kind: 'unavailable', sent: true }],
    ['maintenance, told with 200', refused(200, 'temporarily_unavailable'), { kind: 'unavailable', sent: true }],
    ['trouble', refused(500, 'server_error'), { kind: 'unavailable', sent: true }],
    ["a proxy's page", { status: 404, headers: {}, body: '<html>' }, { kind: 'unavailable', sent: true }],
    [
      'a limit',
      jsonAnswer(429, { error: { code: 'rate_limit_exceeded', message: 'too many' } }),
      { kind: 'unavailable', sent: false },
    ],
    ['an answer without tokens', jsonAnswer(200, {}), { kind: 'unavailable', sent: true }],
    ['a lost answer', { cut: 'after' }, { kind: 'unavailable', sent: true }],
    ['no connection', { cut: 'before' }, { kind: 'unavailable', sent: false }],
  ])('meets %s', async (_name, scripted, expected) => {
    const answer = await refresh(scripted).answer;
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toMatch(/hush|rft\.old/);
  });

  test('is due an hour before the end', () => {
    expect(auth.refreshDueAt({ ...pair, expiresAt: NOW + 86_400_000 }, NOW)).toBe(NOW + 23 * 3_600_000);
  });
});

describe('the account', () => {
  const accounts = (...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    return { asked: network.asked, answer: auth.accounts(network.http, pair, NOW) };
  };
  const user = (more: object = {}) =>
    jsonAnswer(200, {
      data: {
        user: {
          open_id: 'o1',
          union_id: 'u1',
          avatar_url: 'https://p.test/a',
          display_name: 'Ada',
          username: 'ada.l',
          ...more,
        },
      },
      error: { code: 'ok', message: '', log_id: 'l' },
    });
  const no = (status: number, code: string) =>
    jsonAnswer(status, { data: {}, error: { code, message: 'about act.old', log_id: 'l' } });

  test('is the one that signed in', async () => {
    const { asked, answer } = accounts(user());
    expect(await answer).toEqual({
      kind: 'ok',
      value: [
        { accountId: 'o1', username: 'ada.l', name: 'Ada', avatarUrl: 'https://p.test/a', kind: '', tokens: pair },
      ],
    });
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: 'https://t.test/v2/user/info/?fields=open_id,union_id,avatar_url,display_name,username',
      headers: { authorization: 'Bearer act.old' },
    });
  });

  test('that keeps its @name private is known by the name it shows', async () => {
    const { asked, answer } = accounts(no(401, 'scope_not_authorized'), user({ username: undefined }));
    expect(await answer).toMatchObject({ kind: 'ok', value: [{ username: 'Ada' }] });
    expect(asked[1]?.url).not.toContain('username');
  });

  test('of an app without the scope of the @name is not asked for it', async () => {
    const { http, asked } = scriptedNetwork(user({ username: undefined }));
    const basic = createTikTokAuth({ ...endpoints, signIn: { scopes: ['user.info.basic', 'video.publish'] } });
    expect(await basic.accounts(http, pair, NOW)).toMatchObject({ kind: 'ok', value: [{ username: 'Ada' }] });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://t.test/v2/user/info/?fields=open_id,union_id,avatar_url,display_name',
    ]);
  });

  test.each<[string, readonly Scripted[], object]>([
    ['a dead token', [no(401, 'access_token_invalid')], { kind: 'refused' }],
    ['no scope at all', [no(401, 'scope_not_authorized'), no(401, 'scope_not_authorized')], { kind: 'refused' }],
    ['a limit', [no(429, 'rate_limit_exceeded')], { kind: 'unavailable' }],
    ['trouble', [no(500, 'internal_error')], { kind: 'unavailable' }],
    ['an account without an id', [user({ open_id: undefined })], { kind: 'unavailable' }],
    ['no connection', [{ cut: 'before' }], { kind: 'unavailable', sent: false }],
  ])('%s', async (_name, script, expected) => {
    const answer = await accounts(...script).answer;
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toContain('act.old');
  });
});

describe('revoking', () => {
  const revoke = (tokens: Tokens, ...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    return { asked: network.asked, answer: auth.revoke!(network.http, tokens, 'o1') };
  };
  const done = { status: 200, headers: {}, body: '' };
  const dead = refused(400, 'invalid_request');

  test('ends the access of the app at TikTok', async () => {
    const { asked, answer } = revoke(pair, done);
    expect(await answer).toEqual({ kind: 'ok', value: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://t.test/v2/oauth/revoke/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(fieldsOf(asked[0]?.body)).toEqual({ client_key: 'app', client_secret: 'hush', token: 'act.old' });
  });

  test('that is answered with an envelope is done, too', async () => {
    expect(await revoke(pair, jsonAnswer(200, { data: {}, error: { code: 'ok', message: '' } })).answer).toEqual({
      kind: 'ok',
      value: true,
    });
  });

  test('with an access token that is over ends it with a refreshed one', async () => {
    const { asked, answer } = revoke(pair, dead, given(), jsonAnswer(200, {}));
    expect(await answer).toEqual({ kind: 'ok', value: true });
    expect(asked.map(({ body }) => fieldsOf(body).token ?? fieldsOf(body).refresh_token)).toEqual([
      'act.old',
      'rft.old',
      'act.new',
    ]);
  });

  test.each<[string, Tokens, readonly Scripted[], object]>([
    ['tokens that are dead already', pair, [dead, refused(200, 'invalid_grant')], { kind: 'ok' }],
    ['a dead token without a refresh token', { ...pair, refreshToken: null }, [dead], { kind: 'ok' }],
    ['a refusal of the refreshed token', pair, [dead, given(), dead], { kind: 'refused' }],
    ['our own credentials', pair, [refused(200, 'invalid_client')], { kind: 'unavailable', sent: false }],
    ['trouble', pair, [refused(500, 'server_error')], { kind: 'unavailable' }],
    ['trouble with the refresh', pair, [dead, { cut: 'after' }], { kind: 'unavailable' }],
    ['a refresh that brings nothing', pair, [dead, jsonAnswer(200, {})], { kind: 'unavailable' }],
    ["a proxy's page", pair, [{ status: 404, headers: {}, body: '<html>' }], { kind: 'unavailable' }],
    ["a proxy's page that says 200", pair, [{ status: 200, headers: {}, body: '<html>' }], { kind: 'unavailable' }],
    ['no connection', pair, [{ cut: 'before' }], { kind: 'unavailable', sent: false }],
  ])('meets %s', async (_name, tokens, script, expected) => {
    const { asked, answer } = revoke(tokens, ...script);
    expect(await answer).toMatchObject(expected);
    expect(JSON.stringify(await answer)).not.toMatch(/hush|act\.|rft\./);
    expect(asked).toHaveLength(script.length);
  });
});
