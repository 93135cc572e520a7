import { expect, test } from 'vitest';
import { BASE, codeFrom, createBench, REDIRECT } from '../sandbox.fixture.ts';
import {
  API,
  create,
  instagram,
  instagramAuthorizeUrl,
  instagramBench,
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
  const bench = createBench();
  const sent = (await bench.ask('GET', instagramAuthorizeUrl())).headers['location']!;
  expect(sent).toMatch(/^http:\/\/app\.test\/callback\?code=.+&state=s1#_$/);
  const form = instagramCodeForm(new URL(sent).searchParams.get('code')!);
  const short = await bench.ask('POST', tokenUrl, { form });
  const permissions = 'instagram_business_basic,instagram_business_content_publish';
  expect([short.status, short.body]).toEqual([
    200,
    { data: [{ access_token: expect.any(String), user_id: expect.stringMatching(/^\d{19}$/), permissions }] },
  ]);
  const [{ access_token: token, user_id: userId }] = short.body.data;
  const long = await prolong(bench, token);
  expect([long.status, long.body]).toEqual([
    200,
    { access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 },
  ]);
  const profile = await bench.ask('GET', `${API}/me?fields=user_id,username,name,profile_picture_url,account_type`, {
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
  await bench.clock.advance(HOUR_MS);
  expect((await prolong(bench, token)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await prolong(bench, long.body.access_token)).body.error.code).toBe(452);
});

test('a code is exchanged once, within its hour', async () => {
  const bench = createBench();
  const gone = {
    error_type: 'OAuthException',
    code: 400,
    error_message: 'Matching code was not found or was already used',
  };
  const used = instagramCodeForm(await codeFrom(bench, instagramAuthorizeUrl()));
  await bench.ask('POST', tokenUrl, { form: used });
  expect(await bench.ask('POST', tokenUrl, { form: used })).toMatchObject({ status: 400, body: gone });
  const late = instagramCodeForm(await codeFrom(bench, instagramAuthorizeUrl()));
  await bench.clock.advance(HOUR_MS);
  expect(await bench.ask('POST', tokenUrl, { form: late })).toMatchObject({ status: 400, body: gone });
});

test.each([
  { client_id: 'other' },
  { client_secret: 'wrong' },
  { redirect_uri: 'http://app.test/other' },
  { grant_type: 'x' },
  { code: '' },
])('exchanging with %j is refused', async (change) => {
  const bench = createBench();
  const code = await codeFrom(bench, instagramAuthorizeUrl());
  const { status, body } = await bench.ask('POST', tokenUrl, { form: { ...instagramCodeForm(code), ...change } });
  expect([status, body]).toEqual([400, { error_type: 'OAuthException', code: 400, error_message: expect.any(String) }]);
});

test('a refusal is redirected with the words of Instagram', async () => {
  const bench = createBench();
  const form = Object.fromEntries(new URL(instagramAuthorizeUrl({ decision: 'deny' }), BASE).searchParams);
  const { status, headers } = await bench.ask('POST', '/sim/instagram/oauth/authorize', { form });
  expect([status, headers['location']]).toEqual([
    302,
    `${REDIRECT}?error=access_denied&state=s1&error_reason=user_denied&error_description=The+user+denied+your+request`,
  ]);
});

test('accounts of creators get the flat answer, with an id that is a number', async () => {
  const bench = instagramBench();
  const { text } = await bench.ask('POST', tokenUrl, {
    form: instagramCodeForm(
      await codeFrom(bench, instagramAuthorizeUrl({ account_kind: 'creator', account: '2086419418611580927' })),
    ),
  });
  expect(text).toMatch(
    /^\{"access_token":"[^"]+","user_id":2086419418611580927,"permissions":\["instagram_business_basic","instagram_business_content_publish"\]\}$/,
  );
  const who = await signInInstagram(bench, { account: '2086419418611580927' });
  expect((await read(bench, who, 'me', 'account_type')).body.account_type).toBe('MEDIA_CREATOR');
  expect((await create(bench, who, photo())).status).toBe(200);
});

test('a personal account can sign in, and not publish', async () => {
  const bench = instagramBench();
  const who = await signInInstagram(bench, { account_kind: 'personal' });
  expect((await read(bench, who, 'me', 'account_type')).body.account_type).toBe('PERSONAL');
  expect(await create(bench, who, photo())).toMatchObject({ status: 403, body: { error: { code: 10 } } });
});

test('there is no other kind of account, and no unknown scope', async () => {
  for (const wrong of [{ account_kind: 'several' }, { scope: 'pages_show_list' }, { client_id: 'other' }]) {
    expect((await createBench().ask('GET', instagramAuthorizeUrl(wrong))).status).toBe(400);
  }
});

test('without the permission to publish, only reading works', async () => {
  const bench = instagramBench();
  const who = await signInInstagram(bench, { scope: 'instagram_business_basic' });
  expect((await create(bench, who, photo())).body.error).toMatchObject({ type: 'OAuthException', code: 10 });
  expect((await read(bench, who, `${who.accountId}/media`, 'id')).status).toBe(200);
});

test('a token is refreshed when it has lived a day and not yet sixty', async () => {
  const { bench, who } = await instagram();
  const refresh = (token: string) =>
    bench.ask('GET', `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`);
  await bench.clock.advance(DAY_MS - 1);
  expect((await refresh(who.token)).body.error).toMatchObject({
    code: 100,
    message: expect.stringContaining('24 hours'),
  });
  await bench.clock.advance(1);
  const { body } = await refresh(who.token);
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 });
  await bench.clock.advance(59 * DAY_MS);
  expect((await refresh(who.token)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await refresh(body.access_token)).status).toBe(200);
});

test('a token of an hour is not refreshed, however old', async () => {
  const bench = createBench();
  const short = await bench.ask('POST', tokenUrl, {
    form: instagramCodeForm(await codeFrom(bench, instagramAuthorizeUrl())),
  });
  const { body } = await bench.ask(
    'GET',
    `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${short.body.data[0].access_token}`,
  );
  expect(body.error.code).toBe(100);
});

test.each([['garbage'], ['']])('the token %j is invalid', async (token) => {
  const bench = createBench();
  for (const url of [
    `${API}/me?access_token=${token}`,
    `/sim/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`,
  ]) {
    expect(await bench.ask('GET', url)).toMatchObject({
      status: 401,
      body: { error: { type: 'OAuthException', code: 190, fbtrace_id: expect.any(String) } },
    });
  }
});

test('a token may be sent as Bearer, as OAuth or as a parameter', async () => {
  const { bench, who } = await instagram();
  const url = `${API}/me?fields=username`;
  const seen = [
    await bench.ask('GET', url, { token: who.token }),
    await bench.ask('GET', url, { headers: { Authorization: `OAuth ${who.token}` } }),
    await bench.ask('GET', `${url}&access_token=${who.token}`),
  ];
  expect(seen.map(({ body }) => body.username)).toEqual(['vera', 'vera', 'vera']);
});

test('when the person revokes the permission, every token is dead until they consent again', async () => {
  const { bench, who } = await instagram();
  await bench.ask('POST', `/sandbox/accounts/${who.accountId}/revoke`);
  expect((await read(bench, who, 'me', 'id')).body.error).toMatchObject({
    code: 190,
    error_subcode: 460,
    message: expect.stringContaining('session has been invalidated'),
  });
  expect((await prolong(bench, who.token)).body.error.code).toBe(190);
  expect(
    (await read(bench, await signInInstagram(bench, { account: who.accountId }), 'me', 'username')).body.username,
  ).toBe('vera');
});
