import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Profile, Tokens } from '../contract/adapter.ts';
import { call, form, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { tokenIn, weeklyRefreshDueAt } from '../graph/token-answer.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { failureOf } from './errors.ts';

export const SCOPES = ['threads_basic', 'threads_content_publish'] as const;
const HOUR_MS = 3_600_000;

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
    return tokenIn(
      await call(http, { method: 'GET', url, timeoutMs: CALL_TIMEOUT_MS }),
      secrets,
      now,
      HOUR_MS,
      withoutValue,
    );
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
      const short = tokenIn(await call(http, request), [clientSecret, fields.code], now, HOUR_MS, withoutValue);
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
  if (accountId === null || username === null) return withoutValue(called, [accessToken]);
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

function withoutValue(called: CallResult, secrets: readonly string[]): AuthAnswer<never> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  const summary = summaryOf(called, detailOf(called), secrets);
  if (called.status === 200) return { kind: 'unavailable', sent: true, summary };
  const { retry } = failureOf(called, 'read');
  return retry === 'later' || ownCredentialsRefused(called)
    ? { kind: 'unavailable', sent: true, summary }
    : { kind: 'refused', summary };
}

/** Code 101: our app id or secret is wrong, which no person at the account can mend. */
function ownCredentialsRefused(called: HttpAnswer): boolean {
  return (
    graphProblemOf(called).code === 101 || /client_(id|secret)|client secret/i.test(graphProblemOf(called).message)
  );
}

/** The code exchange answers errors in a flat shape of its own. */
function detailOf(called: HttpAnswer): string {
  return (
    textAt(called.json, 'error_message') ??
    (called.status === 200 ? 'an answer without what was asked for' : graphProblemOf(called).detail)
  );
}
