import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, Failure, NetworkAuth, NetworkEndpoints, Profile, Tokens } from '../contract/adapter.ts';
import { call, form, textAt, type CallResult, type HttpAnswer } from '../http/call.ts';
import { tokenIn, weeklyRefreshDueAt, withoutValue } from '../graph/token-answer.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { failureOf } from './errors.ts';

export const SCOPES = ['threads_basic', 'threads_content_publish'] as const;
const HOUR_MS = 3_600_000;
const judge = (answer: HttpAnswer): Failure => failureOf(answer, 'read');

/**
 * OAuth 2.0 without PKCE or refresh tokens: a code gives a token of an hour, that one of 60 days, which prolongs
 * itself.
 */
export function createThreadsAuth(endpoints: NetworkEndpoints): NetworkAuth {
  const { api, clientId, clientSecret } = endpoints;
  const longLived = async (
    http: HttpClient,
    path: string,
    fields: Readonly<Record<string, string>>,
    now: number,
  ): Promise<AuthAnswer<Tokens>> => {
    const url = `${api}${path}?${new URLSearchParams(fields)}`;
    const secrets = [clientSecret, fields['access_token'] ?? ''];
    const called = await call(http, { method: 'GET', url, timeoutMs: CALL_TIMEOUT_MS });
    return tokenIn(called, { secrets, now, defaultLifeMs: HOUR_MS, judge });
  };
  return {
    network: 'threads',
    authorizeUrl: ({ redirectUri, state }) => {
      const fixed = { client_id: clientId, scope: SCOPES.join(','), response_type: 'code' };
      const query = new URLSearchParams({ ...fixed, redirect_uri: redirectUri, state });
      return `${endpoints.authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, now }) => {
      const fields = {
        client_id: clientId,
        client_secret: clientSecret,
        // The address comes back with '#_' behind it, which some browsers hand on as part of the code.
        code: code.replace(/#_$/, ''),
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
      };
      const request: HttpRequest = {
        method: 'POST',
        url: `${api}/oauth/access_token`,
        ...form(fields),
        timeoutMs: CALL_TIMEOUT_MS,
      };
      const secrets = [clientSecret, fields.code];
      const short = tokenIn(await call(http, request), { secrets, now, defaultLifeMs: HOUR_MS, judge });
      if (short.kind !== 'ok') return short;
      const exchanged = {
        grant_type: 'th_exchange_token',
        client_secret: clientSecret,
        access_token: short.value.accessToken,
      };
      const long = await longLived(http, '/access_token', exchanged, now);
      // The code is spent whatever became of the second call.
      return long.kind === 'unavailable' ? { ...long, sent: true } : long;
    },
    refresh: (http, tokens, now) =>
      longLived(
        http,
        '/refresh_access_token',
        { grant_type: 'th_refresh_token', access_token: tokens.accessToken },
        now,
      ),
    accounts: async (http, tokens) => {
      const called = await call(http, {
        method: 'GET',
        url: `${api}/v1.0/me?fields=id,username,name,threads_profile_picture_url`,
        headers: { authorization: `Bearer ${tokens.accessToken}` },
        timeoutMs: CALL_TIMEOUT_MS,
      });
      return accountsOf(profileOf(called, tokens.accessToken), tokens);
    },
    refreshDueAt: weeklyRefreshDueAt,
  };
}

function profileOf(called: CallResult, accessToken: string): AuthAnswer<Profile> {
  const json = called.kind === 'answered' && called.status === 200 ? called.json : null;
  const accountId = textAt(json, 'id');
  const username = textAt(json, 'username');
  if (accountId === null || username === null) return withoutValue(called, [accessToken], judge);
  return {
    kind: 'ok',
    value: {
      accountId,
      username,
      name: textAt(json, 'name') ?? username,
      avatarUrl: textAt(json, 'threads_profile_picture_url'),
      kind: '',
    },
  };
}
