import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BASE, codeFrom, createHarness, REDIRECT } from '../sandbox.fixture.ts';
import {
  ALL_SCOPES,
  call,
  revoke,
  signInTiktok,
  tiktok,
  tiktokAuthorizeUrl,
  tiktokHarness,
  tiktokCodeForm,
  tiktokRefreshForm,
  token,
} from './tiktok.fixture.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test('a code buys a pair, and the redirect names the granted scopes', async () => {
  const harness = createHarness();
  const back = new URL((await harness.ask('GET', tiktokAuthorizeUrl())).headers['location']!);
  expect(back.href).toMatch(/^http:\/\/app\.test\/callback\?/);
  expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), scopes: ALL_SCOPES, state: 's1' });
  const { status, body } = await token(harness, tiktokCodeForm(back.searchParams.get('code')!));
  expect([status, body]).toEqual([
    200,
    {
      access_token: expect.any(String),
      expires_in: 86_400,
      open_id: expect.stringMatching(/^\d{19}$/),
      refresh_token: expect.any(String),
      refresh_expires_in: 31_536_000,
      scope: ALL_SCOPES,
      token_type: 'Bearer',
    },
  ]);
  const fields = 'open_id,union_id,avatar_url,display_name,username';
  const info = await harness.ask('GET', `/sim/tiktok/v2/user/info/?fields=${fields}`, { token: body.access_token });
  expect(info.body).toEqual({
    data: {
      user: {
        open_id: body.open_id,
        union_id: expect.any(String),
        avatar_url: expect.stringContaining(`${BASE}/sandbox/avatars/`),
        display_name: 'Mia',
        username: 'mia',
      },
    },
    error: { code: 'ok', message: '', log_id: expect.any(String) },
  });
});

test('a code is exchanged once, within ten minutes', async () => {
  const harness = createHarness();
  const gone = {
    status: 200,
    body: { error: 'invalid_grant', error_description: expect.any(String), log_id: expect.any(String) },
  };
  const used = tiktokCodeForm(await codeFrom(harness, tiktokAuthorizeUrl()));
  await token(harness, used);
  expect(await token(harness, used)).toMatchObject(gone);
  const late = tiktokCodeForm(await codeFrom(harness, tiktokAuthorizeUrl()));
  await harness.clock.advance(10 * MINUTE_MS);
  expect(await token(harness, late)).toMatchObject(gone);
});

test.each([
  [{ client_key: 'other' }, 'invalid_client'],
  [{ client_secret: 'wrong' }, 'invalid_client'],
  [{ redirect_uri: 'http://app.test/other' }, 'invalid_request'],
  [{ grant_type: '' }, 'invalid_request'],
  [{ grant_type: 'password' }, 'unsupported_grant_type'],
  [{ code: '' }, 'invalid_grant'],
  [{ grant_type: 'refresh_token', refresh_token: 'none' }, 'invalid_grant'],
])('exchanging with %j is refused, with 200: %s', async (change, error) => {
  const harness = createHarness();
  const form = { ...tiktokCodeForm(await codeFrom(harness, tiktokAuthorizeUrl())), ...change };
  expect(await token(harness, form)).toMatchObject({ status: 200, body: { error } });
});

test('every refresh gives a new pair, and the old refresh token is dead', async () => {
  const { harness, who } = await tiktok();
  const first = (await token(harness, tiktokRefreshForm(who.refreshToken))).body;
  expect(first).toMatchObject({ open_id: who.accountId, scope: ALL_SCOPES, expires_in: 86_400 });
  expect([first.access_token, first.refresh_token]).not.toContain(who.refreshToken);
  expect((await token(harness, tiktokRefreshForm(who.refreshToken))).body).toEqual({
    error: 'invalid_grant',
    error_description: 'Refresh token is invalid or expired.',
    log_id: expect.any(String),
  });
  expect((await token(harness, tiktokRefreshForm(first.access_token))).body.error).toBe('invalid_grant');
  expect((await token(harness, tiktokRefreshForm(first.refresh_token))).body.access_token).toEqual(expect.any(String));
});

test('an access token lives a day, a refresh token a year', async () => {
  const { harness, who } = await tiktok();
  const info = async () => (await call(harness, who, 'creator_info/query')).status;
  await harness.clock.advance(DAY_MS - 1);
  expect(await info()).toBe(200);
  await harness.clock.advance(1);
  expect(await info()).toBe(401);
  await harness.clock.advance(364 * DAY_MS);
  expect((await token(harness, tiktokRefreshForm(who.refreshToken))).body.error).toBe('invalid_grant');
});

test('a refusal is redirected with its reason', async () => {
  const harness = createHarness();
  const form = Object.fromEntries(new URL(tiktokAuthorizeUrl({ decision: 'deny' }), BASE).searchParams);
  const { headers } = await harness.ask('POST', '/sim/tiktok/v2/auth/authorize/', { form });
  expect(headers['location']).toMatch(`${REDIRECT}?`);
  expect(Object.fromEntries(new URL(headers['location']!).searchParams)).toEqual({
    error: 'access_denied',
    error_description: expect.any(String),
    state: 's1',
  });
});

test.each([
  { client_key: 'other' },
  { scope: 'video.everything' },
  { scope: '' },
  { response_type: 'token' },
  { account_kind: 'business' },
  { code_challenge: 'abc', code_challenge_method: 'plain' },
])('no consent is asked for with %j', async (change) => {
  const { status, headers } = await createHarness().ask('GET', tiktokAuthorizeUrl(change));
  expect([status, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
});

test('a challenge, where one is sent, is the hash in hexadecimal digits', async () => {
  const harness = createHarness();
  const verifier = 'a-verifier-of-at-least-forty-three-characters-0123456789';
  const hash = createHash('sha256').update(verifier);
  const exchanged = async (challenge: string, more: object = { code_verifier: verifier }) => {
    const code = await codeFrom(
      harness,
      tiktokAuthorizeUrl({ code_challenge: challenge, code_challenge_method: 'S256' }),
    );
    return (await token(harness, { ...tiktokCodeForm(code), ...more })).body.error;
  };
  const [hex, base64url] = [hash.copy().digest('hex'), hash.digest('base64url')];
  expect([await exchanged(hex), await exchanged(base64url), await exchanged(hex, {})]).toEqual([
    undefined,
    'invalid_request',
    'invalid_request',
  ]);
});

test('a person may allow less than is requested, and the app learns it both times', async () => {
  const harness = tiktokHarness();
  const back = new URL(
    (await harness.ask('GET', tiktokAuthorizeUrl({ decline: 'video.publish,video.list' }))).headers['location']!,
  );
  expect(back.searchParams.get('scopes')).toBe('user.info.basic,user.info.profile');
  const { body } = await token(harness, tiktokCodeForm(back.searchParams.get('code')!));
  expect(body.scope).toBe('user.info.basic,user.info.profile');
  expect((await call(harness, { token: body.access_token }, 'creator_info/query')).body.error.code).toBe(
    'scope_not_authorized',
  );
});

test('without a scope, calls that need it are refused', async () => {
  const harness = tiktokHarness();
  const who = await signInTiktok(harness, { scope: 'user.info.basic' });
  const refused = (code: string) => ({
    status: 401,
    body: { data: {}, error: { code, message: expect.any(String), log_id: expect.any(String) } },
  });
  expect(await call(harness, who, 'creator_info/query')).toMatchObject(refused('scope_not_authorized'));
  expect(await call(harness, who, 'video/init')).toMatchObject(refused('scope_not_authorized'));
  expect(
    await harness.ask('POST', '/sim/tiktok/v2/video/list/?fields=id', { token: who.token, json: {} }),
  ).toMatchObject(refused('scope_not_authorized'));
  expect(await harness.ask('GET', '/sim/tiktok/v2/user/info/?fields=username', { token: who.token })).toMatchObject(
    refused('scope_not_authorized'),
  );
  expect(
    (await harness.ask('GET', '/sim/tiktok/v2/user/info/?fields=display_name', { token: who.token })).body.data.user,
  ).toEqual({ display_name: 'Mia' });
});

test.each(['', '?fields=', '?fields=email', '?fields=open_id,email'])('a profile is not read by %j', async (query) => {
  const { harness, who } = await tiktok();
  expect(await harness.ask('GET', `/sim/tiktok/v2/user/info/${query}`, { token: who.token })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_params' } },
  });
});

test.each(['garbage', ''])('the token %j is invalid', async (dead) => {
  expect(await call(createHarness(), { token: dead }, 'creator_info/query')).toMatchObject({
    status: 401,
    body: { error: { code: 'access_token_invalid' } },
  });
});

test('a refresh token is no access token', async () => {
  const { harness, who } = await tiktok();
  expect((await call(harness, { token: who.refreshToken }, 'creator_info/query')).body.error.code).toBe(
    'access_token_invalid',
  );
});

test("the app's revoking ends every token of the consent; the person's revoking ends those of all consents", async () => {
  const { harness, who } = await tiktok();
  const other = await signInTiktok(harness, { account: who.accountId });
  const info = async (one: typeof who) => (await call(harness, one, 'creator_info/query')).body.error.code;
  expect((await revoke(harness, { token: who.token, client_secret: 'wrong' })).body.error).toBe('invalid_client');
  expect((await revoke(harness, { token: 'garbage' })).body.error).toBe('invalid_request');
  expect((await revoke(harness, { token: who.token })).status).toBe(200);
  expect([await info(who), await info(other)]).toEqual(['access_token_invalid', 'ok']);
  expect((await token(harness, tiktokRefreshForm(who.refreshToken))).body.error).toBe('invalid_grant');
  await harness.ask('POST', `/sandbox/accounts/${who.accountId}/revoke`);
  expect(await info(other)).toBe('access_token_invalid');
  expect(await info(await signInTiktok(harness, { account: who.accountId }))).toBe('ok');
});

test('an unknown address is refused in the envelope', async () => {
  const { harness, who } = await tiktok();
  for (const [method, path] of [
    ['GET', 'post/publish/status/fetch/'],
    ['POST', 'post/publish/video/'],
    ['POST', 'user/info/'],
    ['GET', '__proto__'],
  ] as const) {
    expect(await harness.ask(method, `/sim/tiktok/v2/${path}`, { token: who.token })).toMatchObject({
      status: 404,
      body: { data: {}, error: { code: expect.any(String) } },
    });
  }
});
