import { describe, expect, test } from 'vitest';
import {
  BASIC,
  codeFrom,
  createHarness,
  liveTexts,
  REDIRECT,
  setFault,
  signInX,
  xAuthorizeUrl,
  xCodeForm,
  type SandboxHarness,
  type SignedIn,
} from '../sandbox.fixture.ts';

const HOUR_MS = 3_600_000;

const post = (harness: SandboxHarness, who: SignedIn, text: unknown) =>
  harness.ask('POST', '/sim/x/2/tweets', { token: who.token, json: { text } });
const token = (harness: SandboxHarness, form: Readonly<Record<string, string>>) =>
  harness.ask('POST', '/sim/x/2/oauth2/token', { form, headers: BASIC });
const refresh = (harness: SandboxHarness, value: string) =>
  token(harness, { grant_type: 'refresh_token', refresh_token: value });
const timeline = (harness: SandboxHarness, who: SignedIn, query = '') =>
  harness.ask('GET', `/sim/x/2/users/${who.accountId}/tweets?${query}`, { token: who.token });

async function signedIn(options: Parameters<typeof createHarness>[0] = {}) {
  const harness = createHarness(options);
  return { harness, who: await signInX(harness) };
}

describe('signing in to x', () => {
  test('a code buys one pair of tokens, and only once', async () => {
    const harness = createHarness();
    const code = await codeFrom(harness, xAuthorizeUrl());
    const first = await token(harness, xCodeForm(code));
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      token_type: 'bearer',
      expires_in: 7200,
      access_token: expect.any(String),
      scope: expect.stringContaining('tweet.write'),
      refresh_token: expect.any(String),
    });
    const second = await token(harness, xCodeForm(code));
    expect([second.status, second.body.error]).toEqual([400, 'invalid_request']);
  });

  test('a code is dead after 30 seconds', async () => {
    const harness = createHarness();
    const code = await codeFrom(harness, xAuthorizeUrl());
    await harness.clock.advance(30_000);
    expect((await token(harness, xCodeForm(code))).status).toBe(400);
  });

  test.each([
    ['another redirect_uri', { redirect_uri: `${REDIRECT}/` }],
    ['another verifier', { code_verifier: 'not-the-one' }],
    ['no verifier', { code_verifier: '' }],
    ['an unknown grant type', { grant_type: 'password' }],
  ])('%s is refused', async (_what, change) => {
    const harness = createHarness();
    const code = await codeFrom(harness, xAuthorizeUrl());
    const { status, body } = await token(harness, { ...xCodeForm(code), ...change });
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  });

  test('an app without valid Basic credentials is unauthorized', async () => {
    const harness = createHarness();
    const { status, body } = await harness.ask('POST', '/sim/x/2/oauth2/token', { form: xCodeForm('c') });
    expect([status, body]).toEqual([
      401,
      { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
    ]);
  });

  test.each([
    ['client_id', { client_id: 'other' }],
    ['code_challenge_method', { code_challenge_method: 'plain' }],
    ['redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
    ['scope', { scope: 'dm.read' }],
    ['state', { state: 'x'.repeat(501) }],
    ['account_kind', { account_kind: 'royal' }],
  ])('a consent with a wrong %s redirects to no address', async (name, change) => {
    const { status, headers, text } = await createHarness().ask('GET', xAuthorizeUrl(change));
    expect(status).toBe(400);
    expect(headers['location']).toBeUndefined();
    expect(text).toContain(name);
  });

  test('the consent page escapes what it shows, and its buttons approve or deny', async () => {
    const harness = createHarness();
    const evil = '"><script>alert(1)</script>';
    const url = xAuthorizeUrl({ auto_approve: '0', state: evil });
    const page = await harness.ask('GET', url);
    expect(page.text).not.toContain('<script>');
    const fields = Object.fromEntries(new URLSearchParams(url.split('?')[1]));
    const denied = await harness.ask('POST', '/sim/x/i/oauth2/authorize', { form: { ...fields, decision: 'deny' } });
    const back = new URL(denied.headers['location']!);
    expect([back.searchParams.get('error'), back.searchParams.get('state'), back.searchParams.has('code')]).toEqual([
      'access_denied',
      evil,
      false,
    ]);
    const approved = await harness.ask('POST', '/sim/x/i/oauth2/authorize', {
      form: { ...fields, decision: 'approve', account_name: evil },
    });
    expect(
      (await token(harness, xCodeForm(new URL(approved.headers['location']!).searchParams.get('code')!))).status,
    ).toBe(200);
    expect((await harness.ask('GET', '/')).text).not.toContain('<script>');
  });

  test('signing in again with the account id gives the same account, a name alone a new one', async () => {
    const { harness, who } = await signedIn();
    expect((await signInX(harness, { account: who.accountId })).accountId).toBe(who.accountId);
    expect((await signInX(harness)).accountId).not.toBe(who.accountId);
  });

  test('a refresh token works once; its second use leaves the new pair alive, or in hard mode kills it', async () => {
    for (const reuseEndsGrant of [false, true]) {
      const { harness, who } = await signedIn({ reuseEndsGrant });
      const next = await refresh(harness, who.refreshToken);
      expect(next.status).toBe(200);
      const again = await refresh(harness, who.refreshToken);
      expect([again.status, again.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
      ]);
      expect((await refresh(harness, next.body.refresh_token)).status).toBe(reuseEndsGrant ? 400 : 200);
      expect((await post(harness, { ...who, token: next.body.access_token }, 'hello')).status).toBe(
        reuseEndsGrant ? 401 : 201,
      );
    }
  });

  test('an access token is dead after two hours, a revoked one at once', async () => {
    const { harness, who } = await signedIn();
    await harness.clock.advance(2 * HOUR_MS);
    expect((await post(harness, who, 'late')).body).toEqual({
      title: 'Unauthorized',
      type: 'about:blank',
      status: 401,
      detail: 'Unauthorized',
    });
    const other = await signInX(harness);
    await harness.ask('POST', '/sim/x/2/oauth2/revoke', { form: { token: other.token }, headers: BASIC });
    expect((await post(harness, other, 'gone')).status).toBe(401);
  });

  test('the profile has the requested fields, at an address of the sandbox', async () => {
    const harness = createHarness();
    const who = await signInX(harness, { account_kind: 'premium' });
    const fields = 'profile_image_url,subscription_type,shoe_size';
    const { body } = await harness.ask('GET', `/sim/x/2/users/me?user.fields=${fields}`, {
      token: who.token,
    });
    expect(body.data).toEqual({
      id: who.accountId,
      name: 'Ada',
      username: 'ada',
      subscription_type: 'Premium',
      profile_image_url: expect.stringMatching(/^http:\/\/sandbox\.test\/.+_normal\.png$/),
    });
    expect(
      (await harness.ask('GET', new URL(body.data.profile_image_url).pathname.replace('_normal', '_400x400'))).headers[
        'content-type'
      ],
    ).toBe('image/png');
  });
});

describe('posting to x', () => {
  test('a post answers 201 and is live at once, in the list after a while', async () => {
    const { harness, who } = await signedIn();
    const { status, body } = await post(harness, who, 'Read https://example.com/a & more <3');
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^\d{19}$/),
      text: expect.stringMatching(/^Read https:\/\/t\.co\/\w{10} &amp; more &lt;3$/),
      edit_history_tweet_ids: [body.data.id],
    });
    expect(await liveTexts(harness)).toEqual(['Read https://example.com/a & more <3']);
    expect((await timeline(harness, who)).body).toEqual({ meta: { result_count: 0 } });
    await harness.clock.advance(30);
    const listed = await timeline(
      harness,
      who,
      'tweet.fields=created_at,text,entities,attachments&exclude=replies,retweets&max_results=20',
    );
    const [tweet] = listed.body.data;
    const [url] = tweet.entities.urls;
    expect([...tweet.text].slice(url.start, url.end).join('')).toBe(url.url);
    expect([url.expanded_url, listed.body.meta]).toEqual([
      'https://example.com/a',
      { result_count: 1, newest_id: tweet.id, oldest_id: tweet.id },
    ]);
  });

  test('the permalink opens a page, by name and without', async () => {
    const { harness, who } = await signedIn();
    const { body } = await post(harness, who, '<b>bold</b>');
    const { items } = (await harness.ask('GET', '/sandbox/items')).body;
    expect(items[0].permalink).toBe(`http://sandbox.test/sim/x/ada/status/${body.data.id}`);
    for (const url of [items[0].permalink, `/sim/x/i/status/${body.data.id}`]) {
      const page = await harness.ask('GET', url);
      expect([page.status, page.text.includes('&lt;b&gt;bold')]).toEqual([200, true]);
    }
    expect((await harness.ask('GET', '/sim/x/ada/status/1')).status).toBe(404);
  });

  test('start_time and since_id cut the list', async () => {
    const { harness, who } = await signedIn();
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) {
      ids.unshift((await post(harness, who, `post ${i}`)).body.data.id);
      await harness.clock.advance(1_000);
    }
    const idsOf = async (query: string) =>
      (await timeline(harness, who, query)).body.data?.map(({ id }: { id: string }) => id) ?? [];
    expect(await idsOf('max_results=5')).toEqual(ids.slice(0, 5));
    expect(await idsOf(`since_id=${ids[3]}`)).toEqual(ids.slice(0, 3));
    expect(await idsOf(`start_time=${new Date(harness.clock.now() - 2_000).toISOString()}`)).toEqual(ids.slice(0, 2));
    expect(await idsOf('since_id=9999999999999999999')).toEqual([]);
  });

  test.each([
    'max_results=4',
    'max_results=101',
    'start_time=yesterday',
    'since_id=abc',
    'exclude=cats',
    'pagination_token=2123748213126391427',
    'pagination_token=xyz',
  ])('a list asked for with %s is invalid', async (query) => {
    const { harness, who } = await signedIn();
    const { status, body } = await timeline(harness, who, query);
    expect([status, body.title, body.type]).toEqual([
      400,
      'Invalid Request',
      'https://api.twitter.com/2/problems/invalid-request',
    ]);
    expect(body.errors[0]).toEqual({
      parameters: { [query.split('=')[0]!]: [query.split('=')[1]] },
      message: expect.any(String),
    });
  });

  test('a text over 280 as X counts is not permitted, unless the account subscribes', async () => {
    const { harness, who } = await signedIn();
    expect((await post(harness, who, 'あ'.repeat(140))).status).toBe(201);
    const refused = await post(harness, who, 'あ'.repeat(141));
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'You are not permitted to perform this action.', type: 'about:blank', title: 'Forbidden', status: 403 },
    ]);
    expect((await post(harness, await signInX(harness, { account_kind: 'premium' }), 'あ'.repeat(141))).status).toBe(
      201,
    );
  });

  test('the same text within a day is a duplicate, whatever its spaces; a day later it is not', async () => {
    const { harness, who } = await signedIn();
    await post(harness, who, 'once only');
    const again = await post(harness, who, ' once  only');
    expect([again.status, again.body]).toEqual([
      403,
      {
        detail: 'You are not allowed to create a Tweet with duplicate content.',
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
      },
    ]);
    expect(await liveTexts(harness)).toEqual(['once only']);
    await harness.clock.advance(24 * HOUR_MS);
    const later = await refresh(harness, who.refreshToken);
    expect((await post(harness, { ...who, token: later.body.access_token }, 'once only')).status).toBe(201);
    expect((await post(harness, await signInX(harness), 'once only')).status).toBe(201);
  });

  test.each([
    ['no JSON', { raw: '{"text":' }],
    ['not an object', { json: ['text'] }],
    ['an unknown field', { json: { text: 'a', colour: 'red' } }],
    ['an unknown field of a reply', { json: { text: 'a', reply: { in_reply_to_tweet_id: '1', to: 'ada' } } }],
    ['an unknown field of media', { json: { text: 'a', media: { media_ids: ['1'], alt: 'b' } } }],
    ['a reply to no post', { json: { text: 'a', reply: {} } }],
    ['who may reply in words of no schema', { json: { text: 'a', reply_settings: 'everyone' } }],
    ['a text for a flag', { json: { text: 'a', made_with_ai: 'yes' } }],
    ['a number for a text', { json: { text: 5 } }],
    ['nothing to say', { json: {} }],
    ['a byte order mark', { json: { text: 'a\ufeff' } }],
    ['media ids that were never uploaded', { json: { text: 'a', media: { media_ids: ['1'] } } }],
    ['a broken address', { json: { text: 'see https://nowhere.invalid/x' } }],
  ])('%s is an invalid request, and nothing goes live', async (_what, ask) => {
    const { harness, who } = await signedIn();
    const { status, body } = await harness.ask('POST', '/sim/x/2/tweets', { token: who.token, ...ask });
    expect([status, body.title, body.status]).toEqual([400, 'Invalid Request', 400]);
    expect(body.errors[0]).toEqual({ parameters: expect.any(Object), message: expect.any(String) });
    expect(await liveTexts(harness)).toEqual([]);
  });

  test('two cashtags are one too many', async () => {
    const { harness, who } = await signedIn();
    expect((await post(harness, who, 'buy $ABC')).status).toBe(201);
    expect((await post(harness, who, 'buy $ABC and $XYZ')).body.detail).toContain('maximum of one cashtag');
  });

  test('without tweet.write it is unsupported authentication', async () => {
    const harness = createHarness();
    const who = await signInX(harness, { scope: 'tweet.read users.read' });
    expect(who.refreshToken).toBeUndefined();
    const { status, body } = await post(harness, who, 'hello');
    expect([status, body.type]).toEqual([403, 'https://api.twitter.com/2/problems/unsupported-authentication']);
  });

  test('the window closes after its calls, states when it opens, and opens', async () => {
    const { harness, who } = await signedIn();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: { tweetsCreatePerUser: 2 } } });
    const first = await post(harness, who, 'one');
    expect([first.headers['x-rate-limit-limit'], first.headers['x-rate-limit-remaining']]).toEqual(['2', '1']);
    expect([first.headers['x-app-limit-24hour-limit'], first.headers['x-app-limit-24hour-remaining']]).toEqual([
      '10000',
      '9999',
    ]);
    await post(harness, who, 'two');
    const third = await post(harness, who, 'three');
    expect([third.status, third.body]).toEqual([
      429,
      { title: 'Too Many Requests', detail: 'Too Many Requests', type: 'about:blank', status: 429 },
    ]);
    expect(Number(third.headers['x-rate-limit-reset']) * 1000 - harness.clock.now()).toBeGreaterThan(899_000);
    expect((await post(harness, await signInX(harness), 'another account')).status).toBe(201);
    await harness.clock.advance(900_000);
    expect((await post(harness, who, 'three')).status).toBe(201);
  });
});

describe('faults of x', () => {
  test.each([
    ['account_restricted', undefined, 403, { errors: [{ code: 64, message: expect.any(String) }] }],
    ['account_restricted', 'locked', 403, { errors: [{ code: 326, message: expect.any(String) }] }],
    ['account_restricted', 'automated', 403, { errors: [{ code: 226, message: expect.any(String) }] }],
    [
      'account_restricted',
      'not_enrolled',
      403,
      expect.objectContaining({ reason: 'client-not-enrolled', type: expect.stringMatching(/\/client-forbidden$/) }),
    ],
    ['quota_exhausted', undefined, 429, expect.objectContaining({ type: expect.stringMatching(/\/usage-capped$/) })],
    ['quota_exhausted', 'daily', 403, { errors: [{ code: 185, message: expect.any(String) }] }],
    [
      'duplicate',
      undefined,
      403,
      expect.objectContaining({ detail: 'You are not allowed to create a Tweet with duplicate content.' }),
    ],
    ['rate_limited', undefined, 429, expect.objectContaining({ title: 'Too Many Requests' })],
    ['5xx_before_commit', undefined, 503, expect.objectContaining({ title: 'Service Unavailable' })],
    [
      'x_no_credits',
      undefined,
      402,
      {
        title: 'CreditsDepleted',
        detail: 'Your enrolled account [123] does not have any credits to fulfill this request.',
        type: 'https://api.twitter.com/2/problems/credits',
        status: 402,
      },
    ],
  ])('%s (%s) answers %d once, without a post; then posting succeeds', async (fault, reason, status, body) => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault, ...(reason === undefined ? {} : { reason }) });
    const refused = await post(harness, who, 'hello');
    expect([refused.status, refused.body]).toEqual([status, body]);
    expect(await liveTexts(harness)).toEqual([]);
    expect((await post(harness, who, 'hello')).status).toBe(201);
  });

  test('rate_limited names a reset that the timing scales', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault: 'rate_limited' });
    const { headers } = await post(harness, who, 'hello');
    expect(headers['x-rate-limit-remaining']).toBe('0');
    expect(Number(headers['x-rate-limit-reset'])).toBe(Math.ceil((harness.clock.now() + 9_000) / 1000));
  });

  test('token_revoked kills the refresh token too, until the person signs in again', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault: 'token_revoked' });
    expect((await post(harness, who, 'hello')).status).toBe(401);
    expect((await refresh(harness, who.refreshToken)).status).toBe(400);
    expect((await post(harness, await signInX(harness, { account: who.accountId }), 'hello')).status).toBe(201);
  });

  test('scope_removed lasts over refreshes', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault: 'scope_removed' });
    expect((await post(harness, who, 'hello')).status).toBe(403);
    const next = await refresh(harness, who.refreshToken);
    expect((await post(harness, { ...who, token: next.body.access_token }, 'hello')).status).toBe(403);
  });

  test('5xx_after_commit answers an error although the post is live', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault: '5xx_after_commit' });
    expect((await post(harness, who, 'hello')).status).toBe(500);
    expect(await liveTexts(harness)).toEqual(['hello']);
    expect((await post(harness, who, 'hello')).body.detail).toContain('duplicate content');
  });
});
