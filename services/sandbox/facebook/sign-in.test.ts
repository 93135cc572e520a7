import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { BASE, codeFrom, createHarness, REDIRECT, setFault } from '../sandbox.fixture.ts';
import { SANDBOX_APP } from '../simulators.ts';
import {
  API,
  codeQuery,
  DAY_MS,
  dialogUrl,
  draft,
  exchangeQuery,
  facebook,
  facebookHarness,
  get,
  personToken,
  post,
  publish,
  read,
  shortToken,
  signInPage,
  signInPages,
} from './facebook.fixture.ts';

const APP_TOKEN = `${SANDBOX_APP.clientId}|${SANDBOX_APP.clientSecret}`;
const PAGE_FIELDS =
  'id,name,username,access_token,tasks,picture.type(large){url},instagram_business_account{id,username,name,profile_picture_url}';

test('from the dialog to the token of a Page', async () => {
  const harness = facebookHarness();
  const { status, headers } = await harness.ask('GET', dialogUrl());
  expect([status, headers['location']]).toEqual([
    302,
    expect.stringMatching(/^http:\/\/app\.test\/callback\?code=[^&]+&state=s1#_=_$/),
  ]);
  const short = await get(
    harness,
    'oauth/access_token',
    codeQuery(new URL(headers['location']!).searchParams.get('code')!),
  );
  expect(short.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 7_200 });
  const long = await get(harness, 'oauth/access_token', exchangeQuery(short.body.access_token));
  expect(long.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 5_184_000 });
  const token: string = long.body.access_token;
  expect((await get(harness, 'me', { fields: 'id,name' }, { token })).body).toEqual({
    id: expect.stringMatching(/^\d{20}$/),
    name: 'Bakery',
  });
  const { body } = await get(harness, 'me/accounts', { fields: PAGE_FIELDS, limit: '100' }, { token });
  const [page] = body.data;
  expect(page).toEqual({
    ...{ id: expect.stringMatching(/^\d{19}$/), name: 'Bakery', username: 'bakery', access_token: expect.any(String) },
    tasks: expect.arrayContaining(['CREATE_CONTENT']),
    picture: { data: { url: `${BASE}/sandbox/avatars/${page.id}_normal.png` } },
  });
  expect(body).toEqual({
    data: [page],
    paging: { cursors: { before: expect.any(String), after: expect.any(String) } },
  });
  expect(
    (await harness.ask('POST', `${API}/${page.id}/feed`, { token: page.access_token, form: { message: 'Hello' } }))
      .status,
  ).toBe(200);
});

test('a refusal is redirected with the words of Facebook', async () => {
  const form = Object.fromEntries(new URL(dialogUrl({ decision: 'deny' }), BASE).searchParams);
  const { status, headers } = await createHarness().ask('POST', `${API}/dialog/oauth`, { form });
  const query =
    'error=access_denied&state=s1&error_code=200&error_description=Permissions+error&error_reason=user_denied';
  expect([status, headers['location']]).toEqual([302, `${REDIRECT}?${query}#_=_`]);
});

test('without auto_approve there is a page with two buttons', async () => {
  const { status, text } = await createHarness().ask('GET', dialogUrl({ auto_approve: '' }));
  expect(status).toBe(200);
  for (const shown of ['pages_manage_posts', 'value="approve"', 'value="deny"']) expect(text).toContain(shown);
});

test.each([
  { client_id: 'other' },
  { response_type: 'token' },
  { scope: 'pages_everything' },
  { scope: '' },
  { redirect_uri: 'app' },
  { account_kind: 'king' },
])('a dialog with %j is refused', async (wrong) => {
  expect((await createHarness().ask('GET', dialogUrl(wrong))).status).toBe(400);
});

test('a code is exchanged once, within ten minutes, by the app that it was given to', async () => {
  const harness = createHarness();
  const used = await codeFrom(harness, dialogUrl());
  expect((await get(harness, 'oauth/access_token', codeQuery(used))).status).toBe(200);
  expect((await get(harness, 'oauth/access_token', codeQuery(used))).body.error).toMatchObject({
    type: 'OAuthException',
    code: 100,
    error_subcode: 36_009,
  });
  const late = await codeFrom(harness, dialogUrl());
  await harness.clock.advance(600_000);
  expect((await get(harness, 'oauth/access_token', codeQuery(late))).body.error).toMatchObject({
    code: 100,
    error_subcode: 36_007,
  });
  const elsewhere = await codeFrom(harness, dialogUrl());
  expect(
    (await get(harness, 'oauth/access_token', { ...codeQuery(elsewhere), redirect_uri: 'http://app.test/other' })).body
      .error,
  ).toMatchObject({ code: 100, error_subcode: 36_008 });
  const code = await codeFrom(harness, dialogUrl());
  for (const [wrong, error] of [
    [{ client_id: 'other' }, 101],
    [{ client_secret: 'other' }, 1],
    [{ code: '' }, 100],
    [{ grant_type: 'password' }, 100],
  ] as const) {
    expect(await get(harness, 'oauth/access_token', { ...codeQuery(code), ...wrong })).toMatchObject({
      status: 400,
      body: { error: { code: error } },
    });
  }
  expect((await get(harness, 'oauth/access_token', codeQuery(code))).status).toBe(200);
});

test('only a live token of a person is exchanged for one of sixty days', async () => {
  const harness = facebookHarness();
  const short = await shortToken(harness);
  const page = await signInPage(harness);
  const exchange = async (token: string) => (await get(harness, 'oauth/access_token', exchangeQuery(token))).body;
  expect((await exchange(page.token)).error.code).toBe(100);
  expect((await exchange('garbage')).error.code).toBe(190);
  await harness.clock.advance(2 * 3_600_000);
  expect((await exchange(short)).error).toMatchObject({ code: 190, error_subcode: 463 });
  await harness.clock.advance(60 * DAY_MS);
  expect((await get(harness, 'me', {}, { token: page.personToken })).body.error).toMatchObject({
    code: 190,
    error_subcode: 463,
  });
});

test("a Page's token outlives the long-lived token that it was made of, and not a short-lived one", async () => {
  const harness = facebookHarness();
  const page = await signInPage(harness);
  const token = await shortToken(harness, { account: page.pageId });
  const short = { ...page, token: (await get(harness, 'me/accounts', {}, { token })).body.data[0].access_token };
  const expiresAt = async (input: string) =>
    (await get(harness, 'debug_token', { input_token: input, access_token: APP_TOKEN })).body.data.expires_at;
  expect([await expiresAt(page.token), await expiresAt(short.token)]).toEqual([
    0,
    Math.floor(harness.clock.now() / 1000) + 7_200,
  ]);
  await harness.clock.advance(400 * DAY_MS);
  expect((await read(harness, page, page.pageId, 'id')).body).toEqual({ id: page.pageId });
  expect((await read(harness, short, page.pageId, 'id')).body.error).toMatchObject({ code: 190, error_subcode: 463 });
});

test('a sign-in can be for two Pages, each with a token of its own; the list of them has pages', async () => {
  const harness = facebookHarness();
  await harness.ask('POST', '/sandbox/limits', { json: { network: 'facebook', limits: { accountsPerAnswer: 1 } } });
  const token = await personToken(harness, { account_kind: 'several' });
  const first = await get(harness, 'me/accounts', { fields: 'id,access_token', limit: '100' }, { token });
  expect(first.body.data.length).toBe(1);
  const second = await harness.ask('GET', first.body.paging.next);
  expect([second.body.data.length, second.body.paging.next]).toEqual([1, undefined]);
  const [one, other] = [first, second].map(({ body }) => ({
    pageId: body.data[0].id,
    token: body.data[0].access_token,
    personToken: token,
  }));
  expect(one!.pageId).not.toBe(other!.pageId);
  expect((await publish(harness, other!, await draft(harness, other!, 'Of the other'))).body).toEqual({
    success: true,
  });
  expect(
    (await post(harness, { ...one!, pageId: other!.pageId }, 'feed', { form: { message: 'a' } })).body.error,
  ).toMatchObject({ code: 100, error_subcode: 33 });
  expect((await get(harness, 'me/accounts', { after: 'nowhere' }, { token })).body.error.code).toBe(100);
});

test('signing in again as the same account finds the same Pages', async () => {
  const harness = facebookHarness();
  const ids = (pages: readonly { readonly pageId: string }[]) => pages.map(({ pageId }) => pageId);
  const before = await signInPages(harness, { account_kind: 'several' });
  expect(ids(await signInPages(harness, { account: before[0]!.pageId }))).toEqual(ids(before));
});

test('the list of Pages may be empty although everything was granted; debug_token lists them, and each gives its token', async () => {
  const harness = facebookHarness();
  const token = await personToken(harness);
  await setFault(harness, { network: 'facebook', fault: 'me_accounts_empty' });
  expect((await get(harness, 'me/accounts', {}, { token })).body).toEqual({ data: [] });
  const { data } = (await get(harness, 'debug_token', { input_token: token, access_token: APP_TOKEN })).body;
  const [pageId] = data.granular_scopes.find(
    ({ scope }: { readonly scope: string }) => scope === 'pages_manage_posts',
  ).target_ids;
  const { body } = await get(harness, pageId, { fields: 'id,name,username,access_token,picture{url}' }, { token });
  expect(body).toMatchObject({
    id: pageId,
    name: 'Bakery',
    picture: { data: { url: expect.stringContaining('/avatars/') } },
  });
  expect(
    (
      await publish(
        harness,
        { pageId, token: body.access_token, personToken: token },
        await draft(harness, { pageId, token: body.access_token, personToken: token }, 'a'),
      )
    ).status,
  ).toBe(200);
  expect((await get(harness, 'me/accounts', {}, { token })).body.data.length).toBe(1);
});

test('debug_token describes a token, to the app only', async () => {
  const { harness, page } = await facebook();
  const debug = async (input: string, token = APP_TOKEN) =>
    (await get(harness, 'debug_token', { input_token: input, access_token: token })).body;
  const now = Math.floor(harness.clock.now() / 1000);
  const scopes = ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts'];
  expect((await debug(page.personToken)).data).toMatchObject({
    app_id: 'crier-sandbox',
    type: 'USER',
    is_valid: true,
    expires_at: now + 5_184_000,
    data_access_expires_at: now + 90 * 86_400,
    scopes,
  });
  expect((await debug(page.token)).data).toMatchObject({
    type: 'PAGE',
    profile_id: page.pageId,
    is_valid: true,
    expires_at: 0,
    scopes,
  });
  expect((await debug('garbage')).data).toMatchObject({ is_valid: false, error: { code: 190 } });
  await harness.ask('POST', `/sandbox/accounts/${page.pageId}/revoke`);
  expect((await debug(page.token)).data).toMatchObject({ is_valid: false, error: { code: 190, subcode: 458 } });
  for (const [input, token] of [
    [page.token, page.personToken],
    ['', APP_TOKEN],
  ] as const)
    expect((await debug(input, token)).error.code).toBe(100);
});

test('declined scopes are reported as declined, and calls that need them are refused', async () => {
  const harness = facebookHarness();
  const page = await signInPage(harness, { decline: 'pages_manage_posts' });
  expect((await get(harness, 'me/permissions', {}, { token: page.personToken })).body).toEqual({
    data: [
      { permission: 'pages_show_list', status: 'granted' },
      { permission: 'pages_read_engagement', status: 'granted' },
      { permission: 'pages_manage_posts', status: 'declined' },
    ],
  });
  expect(await post(harness, page, 'feed', { form: { message: 'a' } })).toMatchObject({
    status: 403,
    body: { error: { code: 200, message: expect.stringContaining('(#200)') } },
  });
  expect(
    (await post(harness, page, 'videos', { form: { upload_phase: 'start', file_size: '1' } })).body.error,
  ).toMatchObject({ code: 100, message: '(#100) No permission to publish the video' });
  expect((await read(harness, page, `${page.pageId}/feed`, '')).status).toBe(200);
});

test('without the scope to list Pages the list is empty; without the one to read them, they can not be read', async () => {
  const harness = facebookHarness();
  const unlisted = await personToken(harness, { decline: 'pages_show_list' });
  expect((await get(harness, 'me/accounts', {}, { token: unlisted })).body).toEqual({ data: [] });
  const page = await signInPage(harness, { decline: 'pages_read_engagement' });
  for (const token of [page.token, page.personToken])
    expect((await get(harness, page.pageId, {}, { token })).body.error.code).toBe(200);
});

test('a person who may only read a Page has a token that publishes nothing', async () => {
  const harness = facebookHarness();
  const page = await signInPage(harness, { account_kind: 'analyst' });
  expect((await read(harness, page, page.pageId, 'tasks')).body.tasks).toEqual(['ANALYZE']);
  expect((await post(harness, page, 'feed', { form: { message: 'a' } })).body.error.code).toBe(200);
});

test('a token may be sent as Bearer, as OAuth or as a parameter; without any nothing is read', async () => {
  const { harness, page } = await facebook();
  const seen = [{ token: page.token }, { headers: { Authorization: `OAuth ${page.token}` } }].map((ask) =>
    get(harness, page.pageId, {}, ask),
  );
  for (const { body } of [...(await Promise.all(seen)), await get(harness, 'me', { access_token: page.token })])
    expect(body).toEqual({ id: page.pageId, name: 'Bakery' });
  expect(await get(harness, 'me')).toMatchObject({ status: 400, body: { error: { code: 104 } } });
  expect(await get(harness, 'me', {}, { token: 'garbage' })).toMatchObject({
    status: 401,
    body: { error: { code: 190, fbtrace_id: expect.any(String) } },
  });
});

test('a proof of the secret is optional, and must be right', async () => {
  const { harness, page } = await facebook();
  const proof = createHmac('sha256', SANDBOX_APP.clientSecret).update(page.token).digest('hex');
  expect((await get(harness, 'me', { appsecret_proof: proof }, { token: page.token })).status).toBe(200);
  expect(
    (await get(harness, 'me', { appsecret_proof: proof.replace(/./, 'x') }, { token: page.token })).body.error.code,
  ).toBe(100);
});

test("tokens of people publish nothing, tokens of Pages are no person's, and other Pages are missing", async () => {
  const { harness, page } = await facebook();
  const other = await signInPage(harness);
  expect(await post(harness, { ...page, token: page.personToken }, 'feed', { form: { message: 'a' } })).toMatchObject({
    status: 403,
    body: { error: { code: 210 } },
  });
  for (const path of ['me/accounts', 'me/permissions'])
    expect((await get(harness, path, {}, { token: page.token })).body.error.code).toBe(100);
  for (const token of [page.token, page.personToken])
    expect((await get(harness, other.pageId, {}, { token })).body.error).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
  expect((await read(harness, page, `${other.pageId}/feed`, '')).body.error).toMatchObject({
    code: 100,
    error_subcode: 33,
  });
});

test('when the person revokes the Page, its tokens are dead until the person consents again', async () => {
  const { harness, page } = await facebook();
  await harness.ask('POST', `/sandbox/accounts/${page.pageId}/revoke`);
  expect((await read(harness, page, page.pageId, 'id')).body.error).toMatchObject({ code: 190, error_subcode: 458 });
  const again = await signInPage(harness, { account: page.pageId });
  expect((await read(harness, again, page.pageId, 'id')).body).toEqual({ id: page.pageId });
});
