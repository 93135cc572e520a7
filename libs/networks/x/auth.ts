import { createHash } from 'node:crypto';
import type { HttpClient } from '#ports/http-client.ts';
import { accountsOf } from '../contract/accounts.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Profile, Tokens } from '../contract/adapter.ts';
import { at, call, form, isClientError, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { isTokenTrouble } from '../contract/token-trouble.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';

export const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'] as const;
const REFRESH_AHEAD_MS = 10 * 60_000;
/** What X says of a token that was used up, revoked or never given. */
const DEAD: ReadonlySet<string> = new Set(['invalid_request', 'invalid_grant', 'invalid_token']);
const PROFILE_FIELDS = 'id,name,username,profile_image_url,verified,verified_type,subscription_type';

type OAuthPath = 'token' | 'revoke';

function postForm(
  http: HttpClient,
  url: string,
  credentials: string,
  fields: Readonly<Record<string, string>>,
): Promise<CallResult> {
  const { headers, body } = form(fields);
  const authorized = { ...headers, authorization: `Basic ${credentials}` };
  return call(http, { method: 'POST', url, headers: authorized, body, timeoutMs: CALL_TIMEOUT_MS });
}

/** OAuth 2.0 with PKCE, as a confidential client. Access tokens live 2 h; a refresh token works once. */
export function createXAuth(endpoints: NetworkEndpoints): NetworkAuth {
  const credentials = Buffer.from(`${endpoints.clientId}:${endpoints.clientSecret}`).toString('base64');
  const post = (http: HttpClient, path: OAuthPath, fields: Readonly<Record<string, string>>) =>
    postForm(http, `${endpoints.api}/2/oauth2/${path}`, credentials, fields);
  const token = async (
    http: HttpClient,
    fields: Readonly<Record<string, string>>,
    now: number,
  ): Promise<AuthAnswer<Tokens>> => {
    const called = await post(http, 'token', fields);
    const { code = '', code_verifier = '', refresh_token = '' } = fields;
    return tokensOf(called, [credentials, endpoints.clientSecret, code, code_verifier, refresh_token], now);
  };
  return {
    network: 'x',
    authorizeUrl: ({ redirectUri, state, verifier }) => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: endpoints.clientId,
        redirect_uri: redirectUri,
        scope: SCOPES.join(' '),
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      return `${endpoints.authorize}?${query}`;
    },
    exchange: (http, { code, redirectUri, verifier, now }) =>
      token(
        http,
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
          client_id: endpoints.clientId,
        },
        now,
      ),
    refresh: (http, tokens, now) => {
      if (tokens.refreshToken === null) throw new Error('x tokens without a refresh token');
      return token(
        http,
        { grant_type: 'refresh_token', refresh_token: tokens.refreshToken, client_id: endpoints.clientId },
        now,
      );
    },
    accounts: async (http, tokens) => {
      const called = await call(http, {
        method: 'GET',
        url: `${endpoints.api}/2/users/me?user.fields=${PROFILE_FIELDS}`,
        headers: { authorization: `Bearer ${tokens.accessToken}` },
        timeoutMs: CALL_TIMEOUT_MS,
      });
      return accountsOf(profileOf(called, tokens.accessToken), tokens);
    },
    refreshDueAt: (tokens) => tokens.expiresAt - REFRESH_AHEAD_MS,
    revoke: async (http, { accessToken, refreshToken }) => {
      // The refresh token first: with it alone, access could be had again.
      for (const token of [refreshToken, accessToken].filter((each) => each !== null)) {
        const called = await post(http, 'revoke', { token, client_id: endpoints.clientId });
        const answer = revokedOf(called, [credentials, endpoints.clientSecret, token]);
        if (answer.kind !== 'ok') return answer;
      }
      return { kind: 'ok', value: true };
    },
  };
}

function tokensOf(called: CallResult, secrets: readonly string[], now: number): AuthAnswer<Tokens> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  const accessToken = textAt(called.json, 'access_token');
  const refreshToken = textAt(called.json, 'refresh_token');
  const seconds = at(called.json, 'expires_in');
  if (called.status !== 200) return refusalOf(called, secrets);
  if (accessToken === null || refreshToken === null || typeof seconds !== 'number') {
    return { kind: 'unavailable', sent: true, summary: summaryOf(called, 'a token answer without tokens') };
  }
  const missing = missingScopes(textAt(called.json, 'scope'));
  if (missing.length > 0)
    return { kind: 'refused', summary: summaryOf(called, `these permissions were not given: ${missing.join(', ')}`) };
  return { kind: 'ok', value: { accessToken, refreshToken, expiresAt: now + seconds * 1000 } };
}

/** An answer that leaves `scope` out grants what was asked for (RFC 6749, 5.1). */
function missingScopes(granted: string | null): readonly string[] {
  if (granted === null) return [];
  const given = granted.split(/\s+/);
  return SCOPES.filter((scope) => !given.includes(scope));
}

function refusalOf(called: HttpAnswer, secrets: readonly string[]): AuthAnswer<never> {
  const error = textAt(called.json, 'error');
  const said = textAt(called.json, 'error_description') ?? textAt(called.json, 'detail') ?? error;
  const summary = summaryOf(called, said ?? `HTTP ${called.status}`, secrets);
  // Our own app credentials are wrong: no person at the account can mend that, and nothing was consumed.
  const ours = called.status === 401 || error === 'unauthorized_client' || error === 'invalid_client';
  // A problem is about our app too, such as its credits: only an error of OAuth is about the tokens.
  const isProblem = isClientError(called) && error === null && said !== null;
  if (ours || isProblem || called.status === 429) return { kind: 'unavailable', sent: false, summary };
  // Without words of X it is what a proxy says, which knows nothing of the tokens.
  const isRefusal = isClientError(called) && error !== null && !isTokenTrouble(error);
  return isRefusal ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
}

/** A token that X does not know is dead already. */
function revokedOf(called: CallResult, secrets: readonly string[]): AuthAnswer<true> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  if (called.status === 200) return { kind: 'ok', value: true };
  const answer = refusalOf(called, secrets);
  return answer.kind === 'refused' && DEAD.has(textAt(called.json, 'error') ?? '')
    ? { kind: 'ok', value: true }
    : answer;
}

function profileOf(called: CallResult, accessToken: string): AuthAnswer<Profile> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', [accessToken]) };
  const accountId = textAt(called.json, 'data', 'id');
  const username = textAt(called.json, 'data', 'username');
  if (called.status !== 200 || accountId === null || username === null) {
    const summary = summaryOf(called, textAt(called.json, 'detail') ?? `HTTP ${called.status}`, [accessToken]);
    const refused = called.status === 401 || called.status === 403;
    return refused ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
  }
  const subscription = (textAt(called.json, 'data', 'subscription_type') ?? 'None').toLowerCase();
  return {
    kind: 'ok',
    value: {
      accountId,
      username,
      name: textAt(called.json, 'data', 'name') ?? username,
      // The address of the larger one follows from that of the small one.
      avatarUrl: textAt(called.json, 'data', 'profile_image_url')?.replace(/_normal(?=\.\w+$)/, '_400x400') ?? null,
      kind: subscription === 'none' ? '' : subscription,
    },
  };
}
