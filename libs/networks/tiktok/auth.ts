import type { HttpClient } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Profile, Tokens } from '../contract/adapter.ts';
import { at, call, form, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { dataOf } from './calls.ts';
import { codeOf, failureOf } from './errors.ts';

/**
 * Publishing needs the first two. Without `user.info.profile` there is no @name, without `video.list` a lost answer
 * stays lost.
 */
export const SCOPES = ['user.info.basic', 'video.publish', 'user.info.profile', 'video.list'] as const;
const NEEDED = SCOPES.slice(0, 2);
const REFRESH_AHEAD_MS = 3_600_000;
const BASIC_FIELDS = 'open_id,union_id,avatar_url,display_name';

/**
 * These say that our app, or its request, is wrong: no person at the account can mend that, and nothing was consumed.
 */
const OURS: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type']);

/**
 * OAuth 2.0 for web apps, without PKCE. Access tokens live a day; each refresh may bring another refresh token, good
 * for a year.
 */
export function createTikTokAuth({ api, authorize, clientId, clientSecret }: NetworkEndpoints): NetworkAuth {
  const token = async (http: HttpClient, fields: Readonly<Record<string, string>>): Promise<CallResult> => {
    const body = form({ client_key: clientId, client_secret: clientSecret, ...fields });
    return call(http, { method: 'POST', url: `${api}/v2/oauth/token/`, ...body, timeoutMs: CALL_TIMEOUT_MS });
  };
  const profile = (http: HttpClient, accessToken: string, fields: string): Promise<CallResult> =>
    call(http, {
      method: 'GET',
      url: `${api}/v2/user/info/?fields=${fields}`,
      headers: { authorization: `Bearer ${accessToken}` },
      timeoutMs: CALL_TIMEOUT_MS,
    });
  return {
    network: 'tiktok',
    authorizeUrl: ({ redirectUri, state }) => {
      const query = new URLSearchParams({
        client_key: clientId,
        scope: SCOPES.join(','),
        response_type: 'code',
        redirect_uri: redirectUri,
        state,
      });
      return `${authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, now }) => {
      const called = await token(http, { code, grant_type: 'authorization_code', redirect_uri: redirectUri });
      return tokensOf(called, [clientSecret, code], now, null);
    },
    refresh: async (http, { refreshToken }, now) => {
      if (refreshToken === null) throw new Error('tiktok tokens without a refresh token');
      const called = await token(http, { grant_type: 'refresh_token', refresh_token: refreshToken });
      return tokensOf(called, [clientSecret, refreshToken], now, refreshToken);
    },
    accounts: async (http, tokens) => {
      const { accessToken } = tokens;
      const called = await profile(http, accessToken, `${BASIC_FIELDS},username`);
      const isWithoutName =
        called.kind === 'answered' && failureOf(called).retry === 'afterReconnect' && dataOf(called) === null;
      return accountsOf(
        profileOf(isWithoutName ? await profile(http, accessToken, BASIC_FIELDS) : called, accessToken),
        tokens,
      );
    },
    refreshDueAt: ({ expiresAt }) => expiresAt - REFRESH_AHEAD_MS,
  };
}

/** `old`: the refresh token that goes on where the answer has no new one. */
function tokensOf(called: CallResult, secrets: readonly string[], now: number, old: string | null): AuthAnswer<Tokens> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  // This endpoint answers refusals with 200, too.
  if (called.status !== 200 || at(called.json, 'error') !== undefined) return refusalOf(called, secrets);
  const [accessToken, refreshToken, seconds] = [
    textAt(called.json, 'access_token'),
    textAt(called.json, 'refresh_token') ?? old,
    at(called.json, 'expires_in'),
  ];
  if (accessToken === null || refreshToken === null || typeof seconds !== 'number') {
    return { kind: 'unavailable', sent: true, summary: summaryOf(called, 'a token answer without tokens') };
  }
  const given = textAt(called.json, 'scope')?.split(/[\s,]+/) ?? NEEDED;
  const missing = NEEDED.filter((scope) => !given.includes(scope));
  if (missing.length > 0)
    return { kind: 'refused', summary: summaryOf(called, `these permissions were not given: ${missing.join(', ')}`) };
  return { kind: 'ok', value: { accessToken, refreshToken, expiresAt: now + seconds * 1000 } };
}

function refusalOf(called: HttpAnswer, secrets: readonly string[]): AuthAnswer<never> {
  // Limits come in the envelope of the other endpoints.
  const error = textAt(called.json, 'error') ?? codeOf(called);
  const detail =
    textAt(called.json, 'error_description') ??
    textAt(called.json, 'error', 'message') ??
    error ??
    `HTTP ${called.status}`;
  const summary = summaryOf(called, detail, secrets);
  if (called.status === 429 || error === 'rate_limit_exceeded' || OURS.has(error ?? ''))
    return { kind: 'unavailable', sent: false, summary };
  const isRefusal =
    called.status < 500 &&
    called.status !== 408 &&
    error !== null &&
    error !== 'server_error' &&
    error !== 'internal_error';
  return isRefusal ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
}

function profileOf(called: CallResult, accessToken: string): AuthAnswer<Profile> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', [accessToken]) };
  const user = at(dataOf(called), 'user');
  const accountId = textAt(user, 'open_id');
  if (accountId === null) {
    const failure = failureOf(called);
    const isRefusal = dataOf(called) === null && failure.reason === 'needs_reconnect';
    const summary = summaryOf(
      called,
      isRefusal || called.status !== 200 ? failure.detail : 'an account without an id',
      [accessToken],
    );
    return isRefusal ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
  }
  const name = textAt(user, 'display_name');
  const username = textAt(user, 'username') ?? name ?? accountId;
  return {
    kind: 'ok',
    value: { accountId, username, name: name ?? username, avatarUrl: textAt(user, 'avatar_url'), kind: '' },
  };
}
