import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { Tokens } from '../contract/adapter.ts';
import { createYouTubeAuth } from './auth.ts';
import { API, endpoints, nothing, NOW, refusal } from './youtube.fixture.ts';

const auth = createYouTubeAuth(endpoints);
const pair: Tokens = { accessToken: 'ya29.old', refreshToken: '1//old', expiresAt: NOW };
const asking = { redirectUri: 'https://crier.test/back', state: 'st', verifier: 'verifier-1' };
const SCOPES = [
  'https://www.googleapis.com/auth/youtube.upload',
  'https://www.googleapis.com/auth/youtube.readonly',
  'https://www.googleapis.com/auth/yt-analytics.readonly',
];
const fieldsOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));
const given = (more: object = {}) =>
  jsonAnswer(200, {
    access_token: 'ya29.new',
    expires_in: 3599,
    scope: SCOPES.toReversed().join(' '),
    token_type: 'Bearer',
    ...more,
  });
const refused = (status: number, error: string) =>
  jsonAnswer(status, { error, error_description: `${error} of 1//old by app-secret` });

test('a person is sent to Google, to be asked anew, with a challenge made from the verifier', () => {
  const url = new URL(auth.authorizeUrl(asking));
  expect(url.origin + url.pathname).toBe('https://yt.test/o/oauth2/v2/auth');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'app',
    redirect_uri: asking.redirectUri,
    response_type: 'code',
    scope: [...SCOPES, 'https://www.googleapis.com/auth/youtube.force-ssl'].join(' '),
    access_type: 'offline',
    prompt: 'consent',
    include_granted_scopes: 'true',
    state: 'st',
    code_challenge: createHash('sha256').update('verifier-1').digest('base64url'),
    code_challenge_method: 'S256',
  });
});

describe('a code', () => {
  const exchange = (scripted: Scripted) => {
    const network = scriptedNetwork(scripted);
    return {
      asked: network.asked,
      answer: auth.exchange(network.http, {
        code: '4/code',
        redirectUri: asking.redirectUri,
        verifier: asking.verifier,
        now: NOW,
      }),
    };
  };

  test('becomes a pair of tokens', async () => {
    const { asked, answer } = exchange(given({ refresh_token: '1//new' }));
    expect(await answer).toEqual({
      kind: 'ok',
      value: { accessToken: 'ya29.new', refreshToken: '1//new', expiresAt: NOW + 3_599_000 },
    });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://yt.test/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(fieldsOf(asked[0]?.body)).toEqual({
      grant_type: 'authorization_code',
      code: '4/code',
      redirect_uri: asking.redirectUri,
      code_verifier: 'verifier-1',
      client_id: 'app',
      client_secret: 'app-secret',
    });
  });

  test('that brings nothing to last is refused', async () => {
    expect(await exchange(given()).answer).toMatchObject({
      kind: 'refused',
      summary: { detail: expect.stringContaining('sign in again') },
    });
  });

  test('of a person who unticked comments and playlists is one to publish with', async () => {
    const { answer } = exchange(given({ refresh_token: '1//new', scope: SCOPES.join(' ') }));
    expect(await answer).toMatchObject({ kind: 'ok' });
  });

  test.each(SCOPES)('of a person who unticked %s is refused', async (scope) => {
    const others = SCOPES.filter((each) => each !== scope).join(' ');
    expect(await exchange(given({ refresh_token: '1//new', scope: others })).answer).toMatchObject({
      kind: 'refused',
      summary: { detail: expect.stringContaining(scope) },
    });
  });

  test('that is spent is refused, and is in no summary', async () => {
    const answer = await exchange(jsonAnswer(400, { error: 'invalid_grant', error_description: 'Bad 4/code' })).answer;
    expect(answer).toMatchObject({ kind: 'refused', summary: { detail: 'Bad [secret]' } });
  });
});

describe('a refresh', () => {
  const refresh = (scripted: Scripted) => {
    const network = scriptedNetwork(scripted);
    return { asked: network.asked, answer: auth.refresh(network.http, pair, NOW) };
  };

  test('brings an access token, and leaves the refresh token as it is', async () => {
    const { asked, answer } = refresh(given());
    expect(await answer).toEqual({
      kind: 'ok',
      value: { accessToken: 'ya29.new', refreshToken: '1//old', expiresAt: NOW + 3_599_000 },
    });
    expect(fieldsOf(asked[0]?.body)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: '1//old',
      client_id: 'app',
      client_secret: 'app-secret',
    });
  });

  test.each<[string, Scripted, object]>([
    [
      'a dead token',
      jsonAnswer(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }),
      { kind: 'refused', summary: { detail: 'Token has been expired or revoked.' } },
    ],
    ['a scope that was taken away', given({ scope: SCOPES.slice(1).join(' ') }), { kind: 'refused' }],
    ['our own credentials', refused(401, 'invalid_client'), { kind: 'unavailable', sent: false }],
    ['our own mistake', refused(400, 'unsupported_grant_type'), { kind: 'unavailable', sent: false }],
    ['a limit', refused(429, 'rate_limit_exceeded'), { kind: 'unavailable', sent: false }],
    ['trouble', refused(500, 'internal_failure'), { kind: 'unavailable', sent: true }],
    ['trouble, told with 400', refused(400, 'internal_failure'), { kind: 'unavailable', sent: true }],
    ['maintenance', refused(400, 'temporarily_unavailable'), { kind: 'unavailable', sent: true }],
    ['a limit, told with 403', refused(403, 'rate_limit_exceeded'), { kind: 'unavailable' }],
    ["a proxy's page", { status: 404, headers: {}, body: '<html>' }, { kind: 'unavailable', sent: true }],
    ['an answer without tokens', jsonAnswer(200, {}), { kind: 'unavailable', sent: true }],
    ['a lost answer', { cut: 'after' }, { kind: 'unavailable', sent: true }],
    ['no connection', { cut: 'before' }, { kind: 'unavailable', sent: false }],
  ])('meets %s', async (_name, scripted, expected) => {
    const answer = await refresh(scripted).answer;
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toMatch(/app-secret|1\/\/old/);
  });

  test('without a refresh token is a programming error', async () => {
    await expect(auth.refresh(scriptedNetwork().http, { ...pair, refreshToken: null }, NOW)).rejects.toThrow();
  });

  test('is due ten minutes before the end', () => {
    expect(auth.refreshDueAt({ ...pair, expiresAt: NOW + 3_600_000 }, NOW)).toBe(NOW + 50 * 60_000);
  });
});

describe('the channel', () => {
  const accounts = (scripted: Scripted) => {
    const network = scriptedNetwork(scripted);
    return { asked: network.asked, answer: auth.accounts(network.http, pair, NOW) };
  };
  const channel = (more: object = {}) => ({
    id: 'UC7',
    snippet: {
      title: 'Ada',
      customUrl: '@ada',
      thumbnails: { default: { url: 'https://p.test/s' }, high: { url: 'https://p.test/l' } },
    },
    contentDetails: { relatedPlaylists: { uploads: 'UU7' } },
    ...more,
  });
  const profile = {
    accountId: 'UC7',
    username: 'ada',
    name: 'Ada',
    avatarUrl: 'https://p.test/l',
    kind: '',
    facts: { uploads: 'UU7' },
    tokens: pair,
  };

  test('is the one that was chosen at sign-in, with its list of uploads', async () => {
    const { asked, answer } = accounts(jsonAnswer(200, { items: [channel()] }));
    expect(await answer).toEqual({ kind: 'ok', value: [profile] });
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: `${API}/channels?part=snippet%2CcontentDetails%2Cstatistics&mine=true`,
      headers: { authorization: 'Bearer ya29.old' },
    });
  });

  test('may have neither handle nor pictures', async () => {
    const { answer } = accounts(
      jsonAnswer(200, { items: [channel({ snippet: { title: 'Ada' }, contentDetails: {} })] }),
    );
    expect(await answer).toEqual({ kind: 'ok', value: [{ ...profile, username: 'Ada', avatarUrl: null, facts: {} }] });
  });

  test.each<[string, Scripted, object]>([
    ['none: no items', jsonAnswer(200, { items: [] }), { kind: 'ok', value: [] }],
    ['none: items left out', jsonAnswer(200, { kind: 'youtube#channelListResponse' }), { kind: 'ok', value: [] }],
    ['none: in so many words', refusal(401, 'youtubeSignupRequired'), { kind: 'ok', value: [] }],
    ['a dead token', refusal(401, 'authError', 'about ya29.old'), { kind: 'refused' }],
    ['a scope that is missing', refusal(403, 'insufficientPermissions'), { kind: 'refused' }],
    ['an API that is not enabled', refusal(403, 'accessNotConfigured'), { kind: 'unavailable' }],
    ['a spent quota', refusal(403, 'quotaExceeded'), { kind: 'unavailable' }],
    ['trouble', nothing(503), { kind: 'unavailable' }],
    ['no connection', { cut: 'before' }, { kind: 'unavailable', sent: false }],
  ])('%s', async (_name, scripted, expected) => {
    const answer = await accounts(scripted).answer;
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toContain('ya29.old');
  });
});
