import type { HttpClient } from '#ports/http-client.ts';
import type { AuthAnswer, NetworkAuth, NetworkEndpoints, Tokens } from '../contract/adapter.ts';
import { at, call, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { graphGet } from './calls.ts';
import { graphProblemOf } from './answer.ts';
import { isTokenRefusal } from './errors.ts';
import { tokenIn, withoutValue } from './token-answer.ts';
import { versioned } from './version.ts';

const HOUR_MS = 3_600_000;
const LONG_LIFE_MS = 60 * 24 * HOUR_MS;
/**
 * Asked for, and not missed: `business_management` finds Pages of a business portfolio, the others are for comments,
 * covers and roles by Business Manager. Without them the Pages that Facebook lists can be published to.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  'business_management',
  'pages_manage_engagement',
  'instagram_manage_comments',
  'ads_management',
  'ads_read',
]);
const DENIED: ReadonlySet<string> = new Set(['declined', 'expired']);

export interface FacebookLogin {
  readonly authorizeUrl: NetworkAuth['authorizeUrl'];
  /** A code for a token of the person's, good for about 60 days; a Page's own, made from it, does not expire. */
  readonly exchange: NetworkAuth['exchange'];
  /** Refused when some of what publishing needs was not granted. */
  readonly allGranted: (http: HttpClient, accessToken: string) => Promise<AuthAnswer<true>>;
  /** There is nothing to refresh a Page's token with: the same one, as long as it lives. */
  readonly refresh: NetworkAuth['refresh'];
  /** What Facebook says of a token: `{"is_valid", "granular_scopes", ...}`. */
  readonly inspect: (http: HttpClient, accessToken: string) => Promise<CallResult>;
  /** Whose token it is, as the token itself is answered: `{"id"}`. */
  readonly ownerOf: (http: HttpClient, accessToken: string) => Promise<CallResult>;
  /** What `inspect` sends beside the token, which no summary may show. */
  readonly appSecret: string;
}

/**
 * Signing in with Facebook, which leads to Pages and to the Instagram accounts that belong to them. `api`, `authorize`:
 * Facebook's. With `signIn.configId` an app of the kind Business signs people in by Facebook Login for Business: its
 * configuration says what a person is asked for, in place of `scopes`.
 */
export function facebookLogin(
  endpoints: Pick<NetworkEndpoints, 'api' | 'authorize' | 'clientId' | 'clientSecret' | 'signIn'>,
  scopes: readonly string[],
): FacebookLogin {
  const { api, authorize, clientId, clientSecret, signIn } = endpoints;
  const configId = signIn?.configId;
  const needed = scopes.filter((scope) => !OPTIONAL.has(scope));
  const graph = versioned(api);
  const ask = (http: HttpClient, path: string, query: Readonly<Record<string, string>>): Promise<CallResult> =>
    call(http, { method: 'GET', url: `${graph}${path}?${new URLSearchParams(query)}`, timeoutMs: CALL_TIMEOUT_MS });
  const inspect = (http: HttpClient, accessToken: string): Promise<CallResult> =>
    ask(http, '/debug_token', { input_token: accessToken, access_token: `${clientId}|${clientSecret}` });
  const ownerOf = (http: HttpClient, accessToken: string): Promise<CallResult> =>
    graphGet({ http, accessToken }, `${graph}/me?fields=id`);
  return {
    authorizeUrl: ({ redirectUri, state }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        response_type: 'code',
        // Without `rerequest` the dialog never again asks for a permission that the person left out once.
        ...(configId === undefined
          ? { scope: scopes.join(','), auth_type: 'rerequest' }
          : { config_id: configId, override_default_response_type: 'true' }),
      });
      return `${authorize}?${query}`;
    },
    exchange: async (http, { code, redirectUri, now }) => {
      const app = { client_id: clientId, client_secret: clientSecret };
      const short = tokenIn(await ask(http, '/oauth/access_token', { ...app, redirect_uri: redirectUri, code }), {
        secrets: [clientSecret, code],
        now,
        defaultLifeMs: HOUR_MS,
      });
      if (short.kind !== 'ok') return short;
      const fields = { grant_type: 'fb_exchange_token', ...app, fb_exchange_token: short.value.accessToken };
      const long = tokenIn(await ask(http, '/oauth/access_token', fields), {
        secrets: [clientSecret, short.value.accessToken],
        now,
        defaultLifeMs: LONG_LIFE_MS,
      });
      // The code is spent whatever became of the second call.
      return long.kind === 'unavailable' ? { ...long, sent: true } : long;
    },
    allGranted: async (http, accessToken) => {
      const { called, given } =
        configId === undefined
          ? permissionsIn(await graphGet({ http, accessToken }, `${graph}/me/permissions`))
          : scopesIn(await inspect(http, accessToken));
      if (given === null) return withoutValue(called, [accessToken, clientSecret]);
      const missing = needed.filter((scope) => !given.includes(scope));
      if (missing.length === 0) return { kind: 'ok', value: true };
      const what =
        configId === undefined
          ? 'these permissions were not given'
          : 'these permissions are missing, so add them to the configuration of Facebook Login for Business';
      return { kind: 'refused', summary: summaryOf(called, `${what}: ${missing.join(', ')}`) };
    },
    refresh: async (http, tokens) => {
      const called = await inspect(http, tokens.accessToken);
      const inspected = aliveOrNot(called, tokens, clientSecret);
      if (inspected.kind !== 'unavailable' || !isAnsweredRefusal(called)) return inspected;
      return aliveByItself(await ownerOf(http, tokens.accessToken), tokens, inspected);
    },
    inspect,
    ownerOf,
    appSecret: clientSecret,
  };
}

/** `given` null: the answer does not say. */
interface Granted {
  readonly called: CallResult;
  readonly given: readonly (string | null)[] | null;
}

/** What /me/permissions says that the person granted. */
function permissionsIn(called: CallResult): Granted {
  if (called.kind === 'lost' || called.status !== 200) return { called, given: null };
  const given = listAt(called.json, 'data')
    .filter((each) => !DENIED.has(textAt(each, 'status') ?? ''))
    .map((each) => textAt(each, 'permission'));
  return { called, given };
}

/** What /debug_token says that the token was granted: nothing, where it is dead. */
function scopesIn(called: CallResult): Granted {
  if (called.kind === 'lost' || called.status !== 200) return { called, given: null };
  const isValid = at(called.json, 'data', 'is_valid') === true;
  return {
    called,
    given: isValid ? listAt(called.json, 'data', 'scopes').map((scope) => textAt({ scope }, 'scope')) : [],
  };
}

function aliveOrNot(called: CallResult, tokens: Tokens, clientSecret: string): AuthAnswer<Tokens> {
  const secrets = [tokens.accessToken, clientSecret];
  if (called.kind === 'lost' || called.status !== 200 || typeof at(called.json, 'data') !== 'object') {
    const answer = withoutValue(called, secrets);
    // The app asked with a token of its own: a refusal is about that one, such as after a change of its secret.
    return answer.kind === 'refused' ? { ...answer, kind: 'unavailable', sent: false } : answer;
  }
  if (at(called.json, 'data', 'is_valid') === true) return { kind: 'ok', value: tokens };
  const detail = textAt(called.json, 'data', 'error', 'message') ?? 'Facebook says that the access was ended.';
  return { kind: 'refused', summary: summaryOf(called, detail, secrets) };
}

function isAnsweredRefusal(called: CallResult): boolean {
  return called.kind === 'answered' && called.status >= 400 && called.status < 500;
}

/**
 * Of a token that the app could not have inspected, by what the token itself is answered. The app of today may never be
 * able to: a Page that was connected by another app, before the login was changed, has a token of that one.
 */
function aliveByItself(called: CallResult, tokens: Tokens, otherwise: AuthAnswer<Tokens>): AuthAnswer<Tokens> {
  if (called.kind === 'lost') return otherwise;
  if (called.status === 200) return { kind: 'ok', value: tokens };
  const problem = graphProblemOf(called);
  if (!isTokenRefusal(problem)) return otherwise;
  return { kind: 'refused', summary: summaryOf(called, problem.detail, [tokens.accessToken]) };
}
