import { createHash } from 'node:crypto';
import type { HttpClient } from '#ports/http-client.ts';
import type {
  AuthAnswer,
  ConnectableAccount,
  NetworkAuth,
  NetworkEndpoints,
  Profile,
  Tokens,
} from '../contract/adapter.ts';
import {
  at,
  call,
  form,
  isClientError,
  listAt,
  summaryOf,
  textAt,
  type HttpAnswer,
  type CallResult,
} from '../http/call.ts';
import { isTokenTrouble } from '../contract/token-trouble.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { googleGet, hostOf, youtubeFailure } from './calls.ts';
import { reasonOf } from './errors.ts';
import { UPLOADS } from './uploads-list.ts';

const NEEDED_SCOPES = [
  'https://www.googleapis.com/auth/youtube.upload',
  'https://www.googleapis.com/auth/youtube.readonly',
  'https://www.googleapis.com/auth/yt-analytics.readonly',
] as const;
/**
 * The last one is for first comments and playlists. A person may leave it out and publish all the same: people can
 * untick any scope where Google asks.
 */
export const SCOPES = [...NEEDED_SCOPES, 'https://www.googleapis.com/auth/youtube.force-ssl'] as const;
const REFRESH_AHEAD_MS = 10 * 60_000;
const PICTURES = ['high', 'medium', 'default'] as const;

/**
 * These say that our app, or its request, is wrong: no person at the account can mend that, and nothing was consumed.
 */
const OURS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'redirect_uri_mismatch',
  'deleted_client',
  'disabled_client',
]);

/**
 * Google's OAuth 2.0 for web apps, with PKCE. Access tokens live an hour; the refresh token stays the same.
 *
 * It has no `revoke`: Google's call ends all that a person ever allowed our app, not one token. A Member who
 * disconnects one channel would cut off every other channel of the same Google account, in other Workspaces too, whose
 * Posts then fail. The tokens are forgotten instead, and the person can end the rest at Google.
 */
export function createYouTubeAuth(endpoints: NetworkEndpoints): NetworkAuth {
  const { api, authorize, clientId, clientSecret } = endpoints;
  const token = (http: HttpClient, fields: Readonly<Record<string, string>>): Promise<CallResult> => {
    const body = form({ ...fields, client_id: clientId, client_secret: clientSecret });
    return call(http, { method: 'POST', url: hostOf(endpoints, 'token'), ...body, timeoutMs: CALL_TIMEOUT_MS });
  };
  return {
    network: 'youtube',
    authorizeUrl: ({ redirectUri, state, verifier }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: SCOPES.join(' '),
        access_type: 'offline',
        // A person who agreed before gets a refresh token only when asked for consent again.
        prompt: 'consent',
        include_granted_scopes: 'true',
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      return `${authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, verifier, now }) => {
      const called = await token(http, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      return tokensOf(called, [clientSecret, code, verifier], now, null);
    },
    refresh: async (http, { refreshToken }, now) => {
      if (refreshToken === null) throw new Error('youtube tokens without a refresh token');
      const called = await token(http, { grant_type: 'refresh_token', refresh_token: refreshToken });
      return tokensOf(called, [clientSecret, refreshToken], now, refreshToken);
    },
    accounts: async (http, tokens, now) => {
      const called = await googleGet(http, tokens.accessToken, `${api}/channels`, {
        part: 'snippet,contentDetails,statistics',
        mine: 'true',
      });
      return channelsOf(called, tokens, now);
    },
    refreshDueAt: ({ expiresAt }) => expiresAt - REFRESH_AHEAD_MS,
  };
}

/** `old`: the refresh token that goes on. */
function tokensOf(called: CallResult, secrets: readonly string[], now: number, old: string | null): AuthAnswer<Tokens> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  if (called.status !== 200) return refusalOf(called, secrets);
  const [accessToken, refreshToken, seconds] = [
    textAt(called.json, 'access_token'),
    textAt(called.json, 'refresh_token') ?? old,
    at(called.json, 'expires_in'),
  ];
  if (accessToken === null || typeof seconds !== 'number')
    return { kind: 'unavailable', sent: true, summary: summaryOf(called, 'a token answer without tokens') };
  if (refreshToken === null)
    return {
      kind: 'refused',
      summary: summaryOf(called, 'Google gave access for an hour only; sign in again, and agree where it asks.'),
    };
  // An answer that leaves it out grants what was asked for (RFC 6749, 5.1).
  const given = textAt(called.json, 'scope')?.split(/\s+/) ?? SCOPES;
  const missing = NEEDED_SCOPES.filter((scope) => !given.includes(scope));
  if (missing.length > 0)
    return { kind: 'refused', summary: summaryOf(called, `these permissions were not given: ${missing.join(', ')}`) };
  return { kind: 'ok', value: { accessToken, refreshToken, expiresAt: now + seconds * 1000 } };
}

function refusalOf(called: HttpAnswer, secrets: readonly string[]): AuthAnswer<never> {
  const error = textAt(called.json, 'error');
  const summary = summaryOf(
    called,
    textAt(called.json, 'error_description') ?? error ?? `HTTP ${called.status}`,
    secrets,
  );
  if (called.status === 429 || called.status === 401 || OURS.has(error ?? ''))
    return { kind: 'unavailable', sent: false, summary };
  const isRefusal = error !== null && isClientError(called) && !isTokenTrouble(error);
  return isRefusal ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
}

/** None for a Google account that never opened a channel. */
function channelsOf(called: CallResult, tokens: Tokens, now: number): AuthAnswer<readonly ConnectableAccount[]> {
  const secrets = [tokens.accessToken];
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  if (reasonOf(called) === 'youtubeSignupRequired') return { kind: 'ok', value: [] };
  if (called.status !== 200) {
    const { failure, summary } = youtubeFailure(called, now, secrets);
    return failure.reason === 'needs_reconnect'
      ? { kind: 'refused', summary }
      : { kind: 'unavailable', sent: true, summary };
  }
  return {
    kind: 'ok',
    value: listAt(called.json, 'items').flatMap((item) => profileOf(item).map((profile) => ({ ...profile, tokens }))),
  };
}

function profileOf(channel: unknown): readonly Profile[] {
  const accountId = textAt(channel, 'id');
  if (accountId === null) return [];
  const snippet = at(channel, 'snippet');
  const handle = textAt(snippet, 'customUrl')?.replace(/^@/, '') ?? null;
  const name = textAt(snippet, 'title') ?? handle ?? accountId;
  const avatarUrl =
    PICTURES.map((size) => textAt(snippet, 'thumbnails', size, 'url')).find((url) => url !== null) ?? null;
  const uploads = textAt(channel, 'contentDetails', 'relatedPlaylists', 'uploads');
  return [
    {
      accountId,
      username: handle ?? name,
      name,
      avatarUrl,
      kind: '',
      facts: uploads === null ? {} : { [UPLOADS]: uploads },
    },
  ];
}
