import { expect, test } from 'vitest';
import { BASE, codeFrom, createHarness, REDIRECT } from '../sandbox.fixture.ts';
import {
  API,
  create,
  instagram,
  instagramAuthorizeUrl,
  instagramHarness,
  instagramCodeForm,
  photo,
  prolong,
  read,
  signInInstagram,
} from './instagram.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const tokenUrl = '/sim/instagram/oauth/access_token';

test('a code buys one token of an hour, and that token one of sixty days', async () => {
  const harness = createHarness();
  const sent = (await harness.ask('GET', instagramAuthorizeUrl())).headers['location']!;
  expect(sent).toMatch(/^http:\/\/app\.test\/callback\?code=.+&state=s1#_$/);
  const form = instagramCodeForm(new URL(sent).searchParams.get('code')!);
  const short = await harness.ask('POST', tokenUrl, { form });
  const permissions = 'instagram_business_basic,instagram_business_content_publish';
  expect([short.status, short.body]).toEqual([
    200,
    { data: [{ access_token: expect.any(String), user_id: expect.stringMatching(/^\d{19}$/), permissions }] },
  ]);
  const [{ access_token: token, user_id: userId }] = short.body.data;
  const long = await prolong(harness, token);
  expect([long.status, long.body]).toEqual([
    200,
    { access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 },
  ]);
  const profile = await harness.ask('GET', `${API}/me?fields=user_id,username,name,profile_picture_url,account_type`, {
    token: long.body.access_token,
  });
  expect(profile.body).toEqual({
    id: expect.any(String),
    user_id: userId,
    username: 'vera',
    name: 'Vera',
    profile_picture_url: expect.stringMatching(/^http:\/\/sandbox\.test\//),
    account_type: 'BUSINESS',
  });
  expect(profile.body.id).not.toBe(userId);
  await harness.clock.advance(HOUR_MS);
  expect((await prolong(harness, token)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await prolong(harness, long.body.access_token)).body.error.code).toBe(452);
});

test('a code is exchanged once, within its hour', async () => {
  const harness = createHarness();
  const gone = {
    error_type: 'OAuthException',
    code: 400,
    error_message: 'Matching code was not found or was already used',
  };
  const used = instagramCodeForm(await codeFrom(harness, instagramAuthorizeUrl()));
  await harness.ask('POST', tokenUrl, { form: used });
  expect(await harness.ask('POST', tokenUrl, { form: used })).toMatchObject({ status: 400, body: gone });
  const late = instagramCodeForm(await codeFrom(harness, instagramAuthorizeUrl()));
  await harness.clock.advance(HOUR_MS);
  expect(await harness.ask('POST', tokenUrl, { form: late })).toMatchObject({ status: 400, body: gone });
});

test.each([
  { client_id: 'other' },
  { client_secret: 'wrong' },
  { redirect_uri: 'http://app.test/other' },
  { grant_type: 'x' },
  { code: '' },
])('exchanging with %j is refused', async (change) => {
  const harness = createHarness();
  const code = await codeFrom(harness, instagramAuthorizeUrl());
  const { status, body } = await harness.ask('POST', tokenUrl, { form: { ...instagramCodeForm(code), ...change } });
  expect([status, body]).toEqual([400, { error_type: 'OAuthException', code: 400, error_message: expect.any(String) }]);
});

test('a refusal is redirected with the words of Instagram', async () => {
  const harness = createHarness();
  const form = Object.fromEntries(new URL(instagramAuthorizeUrl({ decision: 'deny' }), BASE).searchParams);
  const { status, headers } = await harness.ask('POST', '/sim/instagram/oauth/authorize', { form });
  expect([status, headers['location']]).toEqual([
    302,
    `${REDIRECT}?error=access_denied&state=s1&error_reason=user_denied&error_description=The+user+denied+your+request`,
  ]);
});

test('accounts of creators get the flat answer, with an id that is a number', async () => {
  const harness = instagramHarness();
  const { text } = await harness.ask('POST', tokenUrl, {
    form: instagramCodeForm(
      await codeFrom(harness, instagramAuthorizeUrl({ account_kind: 'creator', account: '2086419418611580927' })),
    ),
  });
  expect(text).toMatch(
    /^\{"access_token":"[^"]+","user_id":2086419418611580927,"permissions":\["instagram_business_basic","instagram_business_content_publish"\]\}$/,
  );
  const who = await signInInstagram(harness, { account: '2086419418611580927' });
  expect((await read(harness, who, 'me', 'account_type')).body.account_type).toBe('MEDIA_CREATOR');
  expect((await create(harness, who, photo())).status).toBe(200);
});

test('a personal account can sign in, and not publish', async () => {
  const harness = instagramHarness();
  const who = await signInInstagram(harness, { account_kind: 'personal' });
  expect((await read(harness, who, 'me', 'account_type')).body.account_type).toBe('PERSONAL');
  expect(await create(harness, who, photo())).toMatchObject({ status: 403, body: { error: { code: 10 } } });
});

test('there is no other kind of account, and no unknown scope', async () => {
  for (const wrong of [{ account_kind: 'several' }, { scope: 'pages_show_list' }, { client_id: 'other' }]) {
    expect((await createHarness().ask('GET', instagramAuthorizeUrl(wrong))).status).toBe(400);
  }
});

test('without the permission to publish, only reading works', async () => {
  const harness = instagramHarness();
  const who = await signInInstagram(harness, { scope: 'instagram_business_basic' });
  expect((await create(harness, who, photo())).body.error).toMatchObject({ type: 'OAuthException', code: 10 });
  expect((await read(harness, who, `${who.accountId}/media`, 'id')).status).toBe(200);
});

test('a token is refreshed when it has lived a day and not yet sixty', async () => {
  const { harness, who } = await instagram();
  const refresh = (token: string) =>
    harness.ask('GET', `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`);
  await harness.clock.advance(DAY_MS - 1);
  expect((await refresh(who.token)).body.error).toMatchObject({
    code: 100,
    message: expect.stringContaining('24 hours'),
  });
  await harness.clock.advance(1);
  const { body } = await refresh(who.token);
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 });
  await harness.clock.advance(59 * DAY_MS);
  expect((await refresh(who.token)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await refresh(body.access_token)).status).toBe(200);
});

test('a token of an hour is not refreshed, however old', async () => {
  const harness = createHarness();
  const short = await harness.ask('POST', tokenUrl, {
    form: instagramCodeForm(await codeFrom(harness, instagramAuthorizeUrl())),
  });
  const { body } = await harness.ask(
    'GET',
    `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${short.body.data[0].access_token}`,
  );
  expect(body.error.code).toBe(100);
});

test.each([['garbage'], ['']])('the token %j is invalid', async (token) => {
  const harness = createHarness();
  for (const url of [
    `${API}/me?access_token=${token}`,
    `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`,
  ]) {
    expect(await harness.ask('GET', url)).toMatchObject({
      status: 401,
      body: { error: { type: 'OAuthException', code: 190, fbtrace_id: expect.any(String) } },
    });
  }
});

test('a token may be sent as Bearer, as OAuth or as a parameter', async () => {
  const { harness, who } = await instagram();
  const url = `${API}/me?fields=username`;
  const seen = [
    await harness.ask('GET', url, { token: who.token }),
    await harness.ask('GET', url, { headers: { Authorization: `OAuth ${who.token}` } }),
    await harness.ask('GET', `${url}&access_token=${who.token}`),
  ];
  expect(seen.map(({ body }) => body.username)).toEqual(['vera', 'vera', 'vera']);
});

test('when the person revokes the permission, every token is dead until they consent again', async () => {
  const { harness, who } = await instagram();
  await harness.ask('POST', `/sandbox/accounts/${who.accountId}/revoke`);
  expect((await read(harness, who, 'me', 'id')).body.error).toMatchObject({
    code: 190,
    error_subcode: 460,
    message: expect.stringContaining('session has been invalidated'),
  });
  expect((await prolong(harness, who.token)).body.error.code).toBe(190);
  expect(
    (await read(harness, await signInInstagram(harness, { account: who.accountId }), 'me', 'username')).body.username,
  ).toBe('vera');
});
