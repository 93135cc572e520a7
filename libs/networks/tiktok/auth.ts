import type { HttpClient } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Profile } from '../contract/adapter.ts';
import { at, call, form, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { dataOf } from './calls.ts';
import { failureOf } from './errors.ts';
import { revoke } from './revoke.ts';
import { NAME_SCOPE, SCOPES } from './scopes.ts';
import { tokensOf } from './token-answer.ts';

const REFRESH_AHEAD_MS = 3_600_000;
const BASIC_FIELDS = 'open_id,union_id,avatar_url,display_name';

/**
 * OAuth 2.0 for web apps, without PKCE. Access tokens live two hours to a day, as TikTok says with each. A refresh
 * mostly brings another refresh token, and the one before is over; one lives half a year or longer.
 */
export function createTikTokAuth({ api, authorize, clientId, clientSecret, signIn }: NetworkEndpoints): NetworkAuth {
  const scopes = signIn?.scopes ?? SCOPES;
  const ask = async (
    http: HttpClient,
    endpoint: 'token' | 'revoke',
    fields: Readonly<Record<string, string>>,
  ): Promise<CallResult> => {
    const body = form({ client_key: clientId, client_secret: clientSecret, ...fields });
    return call(http, { method: 'POST', url: `${api}/v2/oauth/${endpoint}/`, ...body, timeoutMs: CALL_TIMEOUT_MS });
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
        scope: scopes.join(','),
        response_type: 'code',
        redirect_uri: redirectUri,
        state,
      });
      return `${authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, now }) => {
      const called = await ask(http, 'token', { code, grant_type: 'authorization_code', redirect_uri: redirectUri });
      return tokensOf(called, [clientSecret, code], now, null);
    },
    refresh: async (http, { refreshToken }, now) => {
      if (refreshToken === null) throw new Error('tiktok tokens without a refresh token');
      const called = await ask(http, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken });
      return tokensOf(called, [clientSecret, refreshToken], now, refreshToken);
    },
    accounts: async (http, tokens) => {
      const { accessToken } = tokens;
      const isNameAsked = scopes.includes(NAME_SCOPE);
      const called = await profile(http, accessToken, isNameAsked ? `${BASIC_FIELDS},username` : BASIC_FIELDS);
      // The person may have unticked the scope of the name.
      const isNameRefused =
        isNameAsked &&
        called.kind === 'answered' &&
        failureOf(called).retry === 'afterReconnect' &&
        dataOf(called) === null;
      return accountsOf(
        profileOf(isNameRefused ? await profile(http, accessToken, BASIC_FIELDS) : called, accessToken),
        tokens,
      );
    },
    refreshDueAt: ({ expiresAt }) => expiresAt - REFRESH_AHEAD_MS,
    revoke: (http, tokens) => revoke((endpoint, fields) => ask(http, endpoint, fields), tokens, clientSecret),
  };
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
