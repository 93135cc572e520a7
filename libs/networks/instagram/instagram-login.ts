import type { HttpClient } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Profile, Tokens } from '../contract/adapter.ts';
import { at, call, form, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { graphGet } from '../graph/calls.ts';
import { tokenIn, weeklyRefreshDueAt, withoutValue } from '../graph/token-answer.ts';
import { unversioned, versioned } from '../graph/version.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { askedScopes, INSTAGRAM_SCOPES } from './scopes.ts';

const HOUR_MS = 3_600_000;
const PROFILE_FIELDS = 'user_id,username,name,profile_picture_url,account_type';

/**
 * Instagram Login: a code gives a token of an hour, that one of 60 days, which prolongs itself. A sign-in is one
 * account.
 */
export function createInstagramLogin(endpoints: NetworkEndpoints): NetworkAuth {
  const { clientId, clientSecret } = endpoints;
  const tokens = unversioned(endpoints.api);
  const longLived = async (
    http: HttpClient,
    path: string,
    fields: Readonly<Record<string, string>>,
    now: number,
  ): Promise<AuthAnswer<Tokens>> => {
    const url = `${tokens}${path}?${new URLSearchParams(fields)}`;
    const secrets = [clientSecret, fields['access_token'] ?? ''];
    const called = await call(http, { method: 'GET', url, timeoutMs: CALL_TIMEOUT_MS });
    return tokenIn(called, { secrets, now, defaultLifeMs: HOUR_MS });
  };
  return {
    network: 'instagram',
    authorizeUrl: ({ redirectUri, state }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: askedScopes(INSTAGRAM_SCOPES, endpoints.signIn).join(','),
        state,
      });
      return `${endpoints.authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, now }) => {
      // The address comes back with '#_' behind it, which some browsers hand on as part of the code.
      const fields = {
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code: code.replace(/#_$/, ''),
      };
      const url = `${endpoints.hosts['token'] ?? tokens}/oauth/access_token`;
      const called = await call(http, { method: 'POST', url, ...form(fields), timeoutMs: CALL_TIMEOUT_MS });
      const short = shortToken(called, [clientSecret, fields.code]);
      if (short.kind !== 'ok') return short;
      const long = await longLived(
        http,
        '/access_token',
        { grant_type: 'ig_exchange_token', client_secret: clientSecret, access_token: short.value },
        now,
      );
      // The code is spent whatever became of the second call.
      return long.kind === 'unavailable' ? { ...long, sent: true } : long;
    },
    refresh: (http, { accessToken }, now) =>
      longLived(http, '/refresh_access_token', { grant_type: 'ig_refresh_token', access_token: accessToken }, now),
    accounts: async (http, own) => {
      const called = await graphGet(
        { http, accessToken: own.accessToken },
        `${versioned(endpoints.api)}/me?fields=${PROFILE_FIELDS}`,
      );
      return accountsOf(profileOf(called, own.accessToken), own);
    },
    refreshDueAt: weeklyRefreshDueAt,
  };
}

/** Instagram wraps it in a list of one, in some answers. */
function unwrapped(called: CallResult): unknown {
  if (called.kind === 'lost' || called.status !== 200) return null;
  return at(called.json, 'data', 0) ?? called.json;
}

function shortToken(called: CallResult, secrets: readonly string[]): AuthAnswer<string> {
  const json = unwrapped(called);
  const accessToken = textAt(json, 'access_token');
  if (accessToken === null) return withoutValue(called, secrets);
  const listed = textAt(json, 'permissions')?.split(',') ?? listAt(json, 'permissions');
  const missing = INSTAGRAM_SCOPES.needed.filter((scope) => listed.length > 0 && !listed.includes(scope));
  if (missing.length === 0) return { kind: 'ok', value: accessToken };
  return { kind: 'refused', summary: summaryOf(called, `these permissions were not given: ${missing.join(', ')}`) };
}

function profileOf(called: CallResult, accessToken: string): AuthAnswer<Profile> {
  const json = unwrapped(called);
  const [accountId, username] = [textAt(json, 'user_id'), textAt(json, 'username')];
  if (accountId === null || username === null) return withoutValue(called, [accessToken]);
  const type = textAt(json, 'account_type') ?? '';
  if (type === 'PERSONAL') {
    return {
      kind: 'refused',
      summary: summaryOf(called, 'this is a personal account: make it a professional one in the Instagram app first'),
    };
  }
  const profile = {
    accountId,
    username,
    name: textAt(json, 'name') ?? username,
    avatarUrl: textAt(json, 'profile_picture_url'),
    kind: type.toLowerCase(),
  };
  return { kind: 'ok', value: profile };
}
