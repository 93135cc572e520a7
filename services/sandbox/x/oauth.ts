import { createHash } from 'node:crypto';
import type { ConsentRules } from '../consent.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { oauthError } from './problems.ts';

const HOUR_MS = 3_600_000;
const CODE_LIFE_MS = 30_000;
const ACCESS_LIFE_MS = 2 * HOUR_MS;
const REFRESH_LIFE_MS = 183 * 24 * HOUR_MS;

export const X_SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

/** The product's word for the kind of an account, to `subscription_type`. */
const SUBSCRIPTIONS: Readonly<Record<string, string>> = {
  '': 'None',
  none: 'None',
  basic: 'Basic',
  premium: 'Premium',
  premiumplus: 'PremiumPlus',
};

export function xConsentRules(app: SandboxApp): ConsentRules {
  return {
    network: 'x',
    app,
    scopes: X_SCOPES,
    scopeSeparator: ' ',
    pkce: true,
    codeLifeMs: CODE_LIFE_MS,
    fragment: '',
    kind: (asked) => SUBSCRIPTIONS[asked.toLowerCase().replace(/[^a-z]/g, '')] ?? null,
  };
}

export interface TokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
  /** Whether the second use of a refresh token ends every token of the same grant. */
  readonly reuseEndsGrant: boolean;
}

/** Confidential clients only: id and secret in the Authorization header. */
function knowsTheApp(request: Incoming, app: SandboxApp): boolean {
  const basic = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.header('authorization'))?.[1];
  return basic !== undefined && Buffer.from(basic, 'base64').toString() === `${app.clientId}:${app.clientSecret}`;
}

const invalidValue = (what: string) => oauthError(400, 'invalid_request', `Value passed for the ${what} was invalid.`);
const missing = (name: string) => oauthError(400, 'invalid_request', `Missing required parameter [${name}].`);
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

function pair(grantId: string, scopes: readonly string[], { grants, now }: TokenRules): SandboxAnswer {
  const common = { network: 'x', issuedAt: now, longLived: false } as const;
  const access = grants.issue(grantId, { ...common, kind: 'access', lifeMs: ACCESS_LIFE_MS });
  const answer = {
    token_type: 'bearer',
    expires_in: ACCESS_LIFE_MS / 1000,
    access_token: access,
    scope: scopes.join(' '),
  };
  if (!scopes.includes('offline.access')) return json(200, answer);
  return json(200, {
    ...answer,
    refresh_token: grants.issue(grantId, { ...common, kind: 'refresh', lifeMs: REFRESH_LIFE_MS }),
  });
}

function exchangeCode(form: URLSearchParams, rules: TokenRules): SandboxAnswer {
  const absent = ['code', 'redirect_uri', 'code_verifier'].find((name) => !form.get(name));
  if (absent !== undefined) return missing(absent);
  const code = rules.grants.takeCode('x', form.get('code')!);
  if (code === null || code.expiresAt <= rules.now || code.clientId !== rules.app.clientId)
    return invalidValue('authorization code');
  if (code.redirectUri !== form.get('redirect_uri')) {
    return oauthError(
      400,
      'invalid_request',
      'Value passed for the redirect uri did not match the uri of the authorization code.',
    );
  }
  if (code.challenge !== challengeOf(form.get('code_verifier')!)) {
    return oauthError(400, 'invalid_request', 'Value passed for the code verifier did not match the code challenge.');
  }
  return pair(rules.grants.begin(code).grantId, code.scopes, rules);
}

function refresh(form: URLSearchParams, rules: TokenRules): SandboxAnswer {
  const value = form.get('refresh_token');
  if (!value) return missing('refresh_token');
  const found = rules.grants.look('x', value, rules.now);
  if (found.state === 'spent' && rules.reuseEndsGrant) rules.grants.revoke(found.grant.grantId);
  if (found.state !== 'live' || found.token.kind !== 'refresh') return invalidValue('token');
  rules.grants.spend(value);
  return pair(found.grant.grantId, found.grant.scopes, rules);
}

/** POST /2/oauth2/token */
export function xToken(request: Incoming, rules: TokenRules): SandboxAnswer {
  if (!knowsTheApp(request, rules.app))
    return oauthError(401, 'unauthorized_client', 'Missing valid authorization header');
  const form = request.form();
  const type = form.get('grant_type');
  if (type === 'authorization_code') return exchangeCode(form, rules);
  if (type === 'refresh_token') return refresh(form, rules);
  return type === null
    ? missing('grant_type')
    : oauthError(400, 'unsupported_grant_type', 'The grant type is not one of authorization_code and refresh_token.');
}

/** POST /2/oauth2/revoke. As RFC 7009 says, revoking an unknown or dead token is a success. */
export function xRevoke(request: Incoming, rules: TokenRules): SandboxAnswer {
  if (!knowsTheApp(request, rules.app))
    return oauthError(401, 'unauthorized_client', 'Missing valid authorization header');
  const value = request.form().get('token');
  if (!value) return missing('token');
  const found = rules.grants.look('x', value, rules.now);
  if (found.state !== 'unknown') rules.grants.revoke(found.grant.grantId);
  return json(200, { revoked: true });
}
