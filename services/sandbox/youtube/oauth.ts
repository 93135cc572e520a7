import { createHash } from 'node:crypto';
import { consent, type ConsentOptions, type ConsentRules } from '../consent.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Code, Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import { YOUTUBE_SCOPES } from './calls.ts';

const HOUR_MS = 3_600_000;
const ACCESS_LIFE_MS = HOUR_MS - 1_000;
/** The lifetime of an unused refresh token; only that and the person end it. */
const IDLE_LIFE_MS = 182 * 24 * HOUR_MS;
const ENDLESS_MS = 100 * 365 * 24 * HOUR_MS;
const CODE_LIFE_MS = HOUR_MS / 6;

/** `account_kind` at the consent: a Google user without a channel. */
export const NO_CHANNEL = 'no_channel';

export interface YoutubeTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly store: SandboxStore;
  readonly now: number;
}

/** Codes that give a refresh token. */
const offline = (store: SandboxStore) => shelf<{ readonly granted: true }>(store, 'youtube.offline');
const uses = (store: SandboxStore) => shelf<{ readonly at: number }>(store, 'youtube.refreshes');

/** GET and POST /o/oauth2/v2/auth. A challenge is optional, and enforced when one is sent. */
export function youtubeConsent(request: Incoming, options: YoutubeTokenRules & ConsentOptions): SandboxAnswer {
  const parameters = request.method === 'POST' ? request.form() : request.query;
  const rules: ConsentRules = {
    ...{
      network: 'youtube',
      app: options.app,
      scopes: YOUTUBE_SCOPES,
      scopeSeparator: ' ',
      codeLifeMs: CODE_LIFE_MS,
      fragment: '',
      declinable: true,
    },
    pkce: parameters.has('code_challenge'),
    refuseScopes: (scopes) =>
      `Access blocked: authorization error. Error 400: invalid_scope. Some requested scopes cannot be shown: [${scopes.join(', ')}]`,
    kind: (call) => (call === '' || call === NO_CHANNEL ? call : null),
  };
  const answer = consent(request, rules, options);
  const code = answer.status === 302 ? new URL(answer.headers['location']!).searchParams.get('code') : null;
  const isOffline =
    parameters.get('access_type') === 'offline' && (parameters.get('prompt') ?? '').split(' ').includes('consent');
  if (code !== null && isOffline) offline(options.store).put(code, { granted: true });
  return answer;
}

const refuse = (error: string, description: string, status = 400): SandboxAnswer =>
  json(status, { error, error_description: description });

const isAnswered = ({ challenge }: Code, verifier: string): boolean =>
  challenge === null || createHash('sha256').update(verifier).digest('base64url') === challenge;

function accessAnswer(
  grantId: string,
  scopes: readonly string[],
  { grants, now }: YoutubeTokenRules,
  more: object = {},
): SandboxAnswer {
  const token = grants.issue(grantId, {
    network: 'youtube',
    kind: 'access',
    issuedAt: now,
    lifeMs: ACCESS_LIFE_MS,
    longLived: false,
  });
  return json(200, {
    access_token: token,
    expires_in: ACCESS_LIFE_MS / 1000,
    ...more,
    scope: scopes.join(' '),
    token_type: 'Bearer',
  });
}

/** A refresh token is given only for a consent that requested one. */
function exchange(form: URLSearchParams, rules: YoutubeTokenRules): SandboxAnswer {
  const { grants, store, now } = rules;
  const value = form.get('code') ?? '';
  const code = grants.takeCode('youtube', value);
  if (code === null || code.expiresAt <= now) return refuse('invalid_grant', 'Malformed auth code.');
  if (code.redirectUri !== form.get('redirect_uri')) return refuse('redirect_uri_mismatch', 'Bad Request');
  if (!isAnswered(code, form.get('code_verifier') ?? '')) return refuse('invalid_grant', 'Invalid code verifier.');
  const { grantId } = grants.begin(code);
  if (offline(store).get(value) === null) return accessAnswer(grantId, code.scopes, rules);
  offline(store).delete(value);
  const refreshToken = grants.issue(grantId, {
    network: 'youtube',
    kind: 'refresh',
    issuedAt: now,
    lifeMs: ENDLESS_MS,
    longLived: true,
  });
  return accessAnswer(grantId, code.scopes, rules, { refresh_token: refreshToken });
}

/** The refresh token stays the same, and its use renews its lifetime. */
function refresh(form: URLSearchParams, rules: YoutubeTokenRules): SandboxAnswer {
  const { grants, store, now } = rules;
  const value = form.get('refresh_token') ?? '';
  const found = grants.look('youtube', value, now);
  const dead = () => refuse('invalid_grant', 'Token has been expired or revoked.');
  if (found.state !== 'live' || found.token.kind !== 'refresh') return dead();
  if (now - (uses(store).get(value)?.at ?? found.token.issuedAt) >= IDLE_LIFE_MS) return dead();
  uses(store).put(value, { at: now });
  return accessAnswer(found.grant.grantId, found.grant.scopes, rules);
}

/** POST /token */
export function youtubeToken(request: Incoming, rules: YoutubeTokenRules): SandboxAnswer {
  const form = request.form();
  const type = form.get('grant_type') ?? '';
  if (type === '') return refuse('invalid_request', 'Required parameter is missing: grant_type');
  if (form.get('client_id') !== rules.app.clientId)
    return refuse('invalid_client', 'The OAuth client was not found.', 401);
  if (form.get('client_secret') !== rules.app.clientSecret) return refuse('invalid_client', 'Unauthorized', 401);
  if (type === 'authorization_code') return exchange(form, rules);
  return type === 'refresh_token'
    ? refresh(form, rules)
    : refuse('unsupported_grant_type', `Invalid grant_type: ${type.slice(0, 60)}`);
}

/**
 * POST /revoke: a token of either kind, in the body or the query. It ends everything that the person allowed the app,
 * by whichever consent, and not the one token alone.
 */
export function youtubeRevoke(
  request: Incoming,
  { grants, accounts, now }: YoutubeTokenRules & Pick<ConsentOptions, 'accounts'>,
): SandboxAnswer {
  const found = grants.look('youtube', request.form().get('token') ?? request.query.get('token') ?? '', now);
  if (found.state === 'unknown' || found.state === 'revoked')
    return refuse('invalid_token', 'Token expired or revoked');
  accounts.revoke(found.account.accountId);
  return json(200, {});
}
