import { createHash } from 'node:crypto';
import { consent, type ConsentOptions, type ConsentRules } from '../consent.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Code, Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { TIKTOK_SCOPES } from './calls.ts';

const HOUR_MS = 3_600_000;
const ACCESS_LIFE_MS = 24 * HOUR_MS;
const REFRESH_LIFE_MS = 365 * 24 * HOUR_MS;
const CODE_LIFE_MS = HOUR_MS / 6;

/** `account_kind` at the consent: an account that only its followers see. */
export const PRIVATE = 'private';

/** TikTok goes back to no app whose request has a scope that the app lacks: its page names the parameter. */
const WRONG_SCOPES =
  "We couldn't log in with TikTok. This may be due to specific app settings. " +
  "If you're a developer, correct the following and try again: scope (invalid_scope).";

export interface TiktokTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

/** GET and POST /v2/auth/authorize/. A challenge is optional, and enforced when one is sent. */
export function tiktokConsent(request: Incoming, options: TiktokTokenRules & ConsentOptions): SandboxAnswer {
  const parameters = request.method === 'POST' ? request.form() : request.query;
  const rules: ConsentRules = {
    ...{
      network: 'tiktok',
      app: options.app,
      scopes: TIKTOK_SCOPES,
      scopeSeparator: ',',
      clientParameter: 'client_key',
    },
    ...{ tellsScopes: true, declinable: true, codeLifeMs: CODE_LIFE_MS, fragment: '' },
    pkce: parameters.has('code_challenge'),
    refuseScopes: () => WRONG_SCOPES,
    kind: (call) => (call === '' || call === PRIVATE ? call : null),
  };
  const answer = consent(request, rules, options);
  const back = answer.headers['location'];
  if (back === undefined || new URL(back).searchParams.get('error') !== 'access_denied') return answer;
  const target = new URL(back);
  target.searchParams.set('error_description', 'The user cancelled the authorization');
  return { ...answer, headers: { ...answer.headers, location: target.href } };
}

/** Errors of the sign-in have status 200 and lack the envelope of the API. */
function refuse(error: string, description: string): SandboxAnswer {
  return json(200, { error, error_description: description, log_id: '202611200000000000000000000000AB' });
}

const wrongApp = () => refuse('invalid_client', 'Client key or secret is incorrect.');
const isApp = (form: URLSearchParams, app: SandboxApp): boolean =>
  form.get('client_key') === app.clientId && form.get('client_secret') === app.clientSecret;

/** TikTok's challenge is the hash in hexadecimal digits, unlike standard PKCE. */
function isAnswered({ challenge }: Code, verifier: string): boolean {
  return challenge === null || createHash('sha256').update(verifier).digest('hex') === challenge;
}

function pair(
  grantId: string,
  openId: string,
  scopes: readonly string[],
  { grants, now }: TiktokTokenRules,
): SandboxAnswer {
  const token = (kind: 'access' | 'refresh', lifeMs: number) =>
    grants.issue(grantId, { network: 'tiktok', kind, issuedAt: now, lifeMs, longLived: false });
  return json(200, {
    access_token: token('access', ACCESS_LIFE_MS),
    expires_in: ACCESS_LIFE_MS / 1000,
    open_id: openId,
    refresh_token: token('refresh', REFRESH_LIFE_MS),
    refresh_expires_in: REFRESH_LIFE_MS / 1000,
    scope: scopes.join(','),
    token_type: 'Bearer',
  });
}

function exchange(form: URLSearchParams, rules: TiktokTokenRules): SandboxAnswer {
  const code = rules.grants.takeCode('tiktok', form.get('code') ?? '');
  if (code === null || code.expiresAt <= rules.now)
    return refuse('invalid_grant', 'Authorization code is invalid or expired.');
  if (code.redirectUri !== form.get('redirect_uri'))
    return refuse('invalid_request', 'Redirect_uri is not matched with the uri when requesting code.');
  if (!isAnswered(code, form.get('code_verifier') ?? ''))
    return refuse('invalid_request', 'Code verifier or code challenge is invalid.');
  return pair(rules.grants.begin(code).grantId, code.accountId, code.scopes, rules);
}

/** The old refresh token is invalid afterwards. */
function refresh(form: URLSearchParams, rules: TiktokTokenRules): SandboxAnswer {
  const value = form.get('refresh_token') ?? '';
  const found = rules.grants.look('tiktok', value, rules.now);
  if (found.state !== 'live' || found.token.kind !== 'refresh')
    return refuse('invalid_grant', 'Refresh token is invalid or expired.');
  rules.grants.spend(value);
  return pair(found.grant.grantId, found.account.accountId, found.grant.scopes, rules);
}

/** POST /v2/oauth/token/: a code, or a refresh token, for a new pair. */
export function tiktokToken(request: Incoming, rules: TiktokTokenRules): SandboxAnswer {
  const form = request.form();
  const type = form.get('grant_type') ?? '';
  if (type === '') return refuse('invalid_request', 'The request parameters are malformed.');
  if (!isApp(form, rules.app)) return wrongApp();
  if (type === 'authorization_code') return exchange(form, rules);
  return type === 'refresh_token'
    ? refresh(form, rules)
    : refuse('unsupported_grant_type', 'Grant type is not supported.');
}

/** POST /v2/oauth/revoke/ */
export function tiktokRevoke(request: Incoming, { app, grants, now }: TiktokTokenRules): SandboxAnswer {
  const form = request.form();
  if (!isApp(form, app)) return wrongApp();
  const found = grants.look('tiktok', form.get('token') ?? '', now);
  if (found.state === 'unknown') return refuse('invalid_request', 'Token is invalid.');
  grants.revoke(found.grant.grantId);
  return json(200, {});
}
