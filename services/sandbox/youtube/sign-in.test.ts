import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BASE, codeFrom, createHarness, REDIRECT } from '../sandbox.fixture.ts';
import {
  again,
  DAY_MS,
  get,
  HOUR_MS,
  live,
  report,
  SCOPES,
  signInYoutube,
  start,
  token,
  uploaded,
  youtube,
  youtubeAuthUrl,
  youtubeCodeForm,
  youtubeRefreshForm,
} from './youtube.fixture.ts';

const channels = { part: 'snippet,contentDetails,statistics', mine: 'true' };
const invalidGrant = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
};

test('a code buys an access token of an hour and a refresh token', async () => {
  const harness = createHarness();
  const back = (await harness.ask('GET', youtubeAuthUrl())).headers['location']!;
  expect(back).toMatch(/^http:\/\/app\.test\/callback\?code=[^&]+&state=s1$/);
  const { status, body } = await token(harness, youtubeCodeForm(new URL(back).searchParams.get('code')!));
  expect([status, body]).toEqual([
    200,
    {
      access_token: expect.any(String),
      expires_in: 3_599,
      refresh_token: expect.any(String),
      scope: SCOPES,
      token_type: 'Bearer',
    },
  ]);
});

test('the channel is returned, with its playlist of uploads', async () => {
  const { harness, who } = await youtube();
  const { body } = await get(harness, who, 'channels', channels);
  const url = expect.stringContaining(`${BASE}/sandbox/avatars/`);
  expect(body).toMatchObject({ kind: 'youtube#channelListResponse', pageInfo: { totalResults: 1 } });
  expect(body.items).toEqual([
    {
      ...{ kind: 'youtube#channel', etag: expect.any(String), id: who.accountId },
      snippet: {
        title: 'Noor',
        description: '',
        customUrl: '@noor',
        publishedAt: '2026-11-20T12:00:00.000Z',
        thumbnails: { default: { url }, medium: { url }, high: { url } },
      },
      contentDetails: { relatedPlaylists: { likes: expect.any(String), uploads: `UU${who.accountId}` } },
      statistics: { viewCount: '0', subscriberCount: '0', hiddenSubscriberCount: false, videoCount: '0' },
    },
  ]);
  await uploaded(harness, who);
  await harness.clock.advance(3 * DAY_MS);
  const { statistics } = (await get(harness, await again(harness, who), 'channels', channels)).body.items[0];
  expect([statistics.videoCount, Number(statistics.viewCount) > 100]).toEqual(['1', true]);
});

test.each([
  [{ part: 'snippet' }, 'missingRequiredParameter'],
  [{ mine: 'true' }, 'missingRequiredParameter'],
  [{ part: 'snippet,secrets', mine: 'true' }, 'unknownPart'],
])('channels are not returned for %j', async (query, reason) => {
  const { harness, who } = await youtube();
  expect(await get(harness, who, 'channels', query)).toMatchObject({
    status: 400,
    body: { error: { code: 400, errors: [{ reason }] } },
  });
});

test('without offline access and a consent, no refresh token comes', async () => {
  const harness = createHarness();
  const given = async (extra: Readonly<Record<string, string>>) =>
    (await signInYoutube(harness, extra)).refreshToken !== '';
  expect([
    await given({}),
    await given({ access_type: 'online' }),
    await given({ prompt: 'select_account' }),
    await given({ prompt: 'select_account consent' }),
  ]).toEqual([true, false, false, true]);
});

test('a refresh token gives access tokens and stays the same', async () => {
  const { harness, who } = await youtube();
  for (let day = 0; day < 3; day++) {
    await harness.clock.advance(100 * DAY_MS);
    const { status, body } = await token(harness, youtubeRefreshForm(who.refreshToken));
    expect([status, body]).toEqual([
      200,
      { access_token: expect.any(String), expires_in: 3_599, scope: SCOPES, token_type: 'Bearer' },
    ]);
    expect((await get(harness, { token: body.access_token }, 'channels', channels)).status).toBe(200);
  }
  await harness.clock.advance(182 * DAY_MS);
  expect(await token(harness, youtubeRefreshForm(who.refreshToken))).toMatchObject(invalidGrant);
});

test('an access token lives an hour, less a second', async () => {
  const { harness, who } = await youtube();
  await harness.clock.advance(HOUR_MS - 1_001);
  expect((await get(harness, who, 'channels', channels)).status).toBe(200);
  await harness.clock.advance(1);
  expect(await get(harness, who, 'channels', channels)).toMatchObject({
    status: 401,
    body: {
      error: {
        code: 401,
        status: 'UNAUTHENTICATED',
        errors: [
          {
            message: 'Invalid Credentials',
            domain: 'global',
            reason: 'authError',
            location: 'Authorization',
            locationType: 'header',
          },
        ],
      },
    },
  });
});

test('a code is exchanged once, within ten minutes', async () => {
  const harness = createHarness();
  const used = youtubeCodeForm(await codeFrom(harness, youtubeAuthUrl()));
  await token(harness, used);
  expect(await token(harness, used)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  const late = youtubeCodeForm(await codeFrom(harness, youtubeAuthUrl()));
  await harness.clock.advance(HOUR_MS / 6);
  expect(await token(harness, late)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test.each([
  [{ client_id: 'other' }, 401, 'invalid_client'],
  [{ client_secret: 'wrong' }, 401, 'invalid_client'],
  [{ redirect_uri: 'http://app.test/other' }, 400, 'redirect_uri_mismatch'],
  [{ grant_type: '' }, 400, 'invalid_request'],
  [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  [{ code: '' }, 400, 'invalid_grant'],
  [{ grant_type: 'refresh_token', refresh_token: 'none' }, 400, 'invalid_grant'],
])('exchanging with %j is refused: %i %s', async (change, status, error) => {
  const harness = createHarness();
  expect(
    await token(harness, { ...youtubeCodeForm(await codeFrom(harness, youtubeAuthUrl())), ...change }),
  ).toMatchObject({
    status,
    body: { error },
  });
});

test('a challenge, where one is sent, must be answered', async () => {
  const harness = createHarness();
  const verifier = 'a-verifier-of-at-least-forty-three-characters-0123456789';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const exchanged = async (more: object) =>
    (
      await token(harness, {
        ...youtubeCodeForm(
          await codeFrom(harness, youtubeAuthUrl({ code_challenge: challenge, code_challenge_method: 'S256' })),
        ),
        ...more,
      })
    ).status;
  expect([
    await exchanged({ code_verifier: verifier }),
    await exchanged({ code_verifier: 'other' }),
    await exchanged({}),
  ]).toEqual([200, 400, 400]);
});

test('a refusal is redirected', async () => {
  const harness = createHarness();
  const form = Object.fromEntries(new URL(youtubeAuthUrl({ decision: 'deny' }), BASE).searchParams);
  expect((await harness.ask('POST', '/sim/youtube/o/oauth2/v2/auth', { form })).headers['location']).toBe(
    `${REDIRECT}?error=access_denied&state=s1`,
  );
});

test.each([{ client_id: 'other' }, { scope: 'everything' }, { response_type: 'token' }, { account_kind: 'brand' }])(
  'no consent is asked for with %j',
  async (change) => {
    expect((await createHarness().ask('GET', youtubeAuthUrl(change))).status).toBe(400);
  },
);

test('a person may allow less than is requested, and the app learns it', async () => {
  const harness = createHarness();
  const [upload, ...others] = SCOPES.split(' ');
  const { body } = await token(harness, youtubeCodeForm(await codeFrom(harness, youtubeAuthUrl({ decline: upload! }))));
  expect(body.scope).toBe(others.join(' '));
  expect(await start(harness, { token: body.access_token }, 1_000)).toMatchObject({
    status: 403,
    body: { error: { errors: [{ reason: 'insufficientPermissions' }] } },
  });
});

test('without a scope, calls that need it are refused', async () => {
  const harness = createHarness();
  const [upload, read, analytics] = SCOPES.split(' ') as [string, string, string];
  const refused = {
    status: 403,
    body: { error: { code: 403, errors: [{ reason: 'insufficientPermissions' }], status: 'PERMISSION_DENIED' } },
  };
  const reader = await signInYoutube(harness, { scope: read });
  expect(await start(harness, reader, 1_000)).toMatchObject(refused);
  expect(await report(harness, reader, {})).toMatchObject(refused);
  expect((await get(harness, reader, 'channels', channels)).status).toBe(200);
  const uploader = await signInYoutube(harness, { scope: `${upload} ${analytics}` });
  for (const path of ['channels', 'videos', 'playlistItems'])
    expect(await get(harness, uploader, path, { part: 'snippet' })).toMatchObject(refused);
  expect(await report(harness, uploader, {})).toMatchObject(refused);
});

test('a person without a channel gets none, and can not upload', async () => {
  const harness = createHarness();
  const who = await signInYoutube(harness, { account_kind: 'no_channel' });
  const { status, body } = await get(harness, who, 'channels', channels);
  expect([status, body.items]).toEqual([200, undefined]);
  expect(await start(harness, who, 1_000)).toMatchObject({
    status: 401,
    body: { error: { errors: [{ reason: 'youtubeSignupRequired' }] } },
  });
  expect(await live(harness)).toEqual([]);
});

test("revoking either token ends the consent; the person's revoking ends all of them", async () => {
  const harness = createHarness();
  const revoke = (value: string) => harness.ask('POST', '/sim/youtube/revoke', { form: { token: value } });
  const listed = async (one: { readonly token: string }) => (await get(harness, one, 'channels', channels)).status;
  for (const name of ['token', 'refreshToken'] as const) {
    const who = await signInYoutube(harness);
    expect([(await revoke(who[name])).status, await listed(who)]).toEqual([200, 401]);
    expect(await token(harness, youtubeRefreshForm(who.refreshToken))).toMatchObject(invalidGrant);
    expect(await revoke(who[name])).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
  }
  const who = await signInYoutube(harness);
  await harness.ask('POST', `/sandbox/accounts/${who.accountId}/revoke`);
  expect(await listed(who)).toBe(401);
  expect(await token(harness, youtubeRefreshForm(who.refreshToken))).toMatchObject(invalidGrant);
  expect(await listed(await again(harness, who))).toBe(200);
});

test.each(['garbage', ''])('the token %j is invalid, a refresh token too', async (dead) => {
  const { harness, who } = await youtube();
  for (const one of [dead, who.refreshToken])
    expect((await get(harness, { token: one }, 'channels', channels)).body.error.errors[0].reason).toBe('authError');
  expect(await token(harness, youtubeRefreshForm(who.token))).toMatchObject(invalidGrant);
});

test('an unknown address is not found', async () => {
  const { harness, who } = await youtube();
  for (const [method, path] of [
    ['GET', 'upload/youtube/v3/videos'],
    ['POST', 'youtube/v3/videos'],
    ['GET', 'youtube/v3/search'],
    ['GET', '__proto__'],
  ] as const) {
    expect(await harness.ask(method, `/sim/youtube/${path}`, { token: who.token })).toMatchObject({
      status: 404,
      body: { error: { code: 404 } },
    });
  }
});
