import { consent, type ConsentOptions, type ConsentRules } from '../consent.ts';
import type { Account, Accounts } from '../accounts.ts';
import { json, textOf, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Code, Grants } from '../grants.ts';
import { bearer } from '../graph/parameters.ts';
import type { SandboxApp } from '../simulator.ts';
import { INSTAGRAM_SCOPES } from './calls.ts';
import { expiredToken, graphError, parameterError, revokedToken, unknownToken } from './graph-errors.ts';

const HOUR_MS = 3_600_000;
const LONG_LIFE_MS = 60 * 24 * HOUR_MS;
const REFRESHABLE_AFTER_MS = 24 * HOUR_MS;

/** `account_kind` at the consent; any other account is a business. */
export const CREATOR = 'creator';
export const PERSONAL = 'personal';

function consentRules(app: SandboxApp): ConsentRules {
  const kind = (call: string) => (['', CREATOR, PERSONAL].includes(call) ? call : null);
  return {
    network: 'instagram',
    app,
    scopes: INSTAGRAM_SCOPES,
    scopeSeparator: ',',
    pkce: false,
    codeLifeMs: HOUR_MS,
    fragment: '#_',
    kind,
  };
}

/** GET and POST /oauth/authorize. A refusal is redirected with Instagram's own words for it. */
export function instagramConsent(request: Incoming, options: InstagramTokenRules & ConsentOptions): SandboxAnswer {
  const answer = consent(request, consentRules(options.app), options);
  const back = answer.headers['location'];
  if (back === undefined || new URL(back).searchParams.get('error') !== 'access_denied') return answer;
  const target = new URL(back);
  target.searchParams.set('error_reason', 'user_denied');
  target.searchParams.set('error_description', 'The user denied your request');
  target.hash = '';
  return { ...answer, headers: { ...answer.headers, location: target.href } };
}

export interface InstagramTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

/**
 * The real API answers in both shapes: the documented one, and a flat one whose id is a JSON number beyond what
 * JavaScript holds. Accounts of creators get the second here, so that clients' parsing of it can be tested.
 */
function tokenAnswer(token: string, { accountId, scopes }: Code, account: Account): SandboxAnswer {
  if (account.kind !== CREATOR)
    return json(200, { data: [{ access_token: token, user_id: accountId, permissions: scopes.join(',') }] });
  const flat = json(200, { access_token: token, user_id: 0, permissions: scopes });
  return { ...flat, body: textOf(flat).replace('"user_id":0', `"user_id":${BigInt(accountId)}`) };
}

/**
 * POST /oauth/access_token: exchanges a code for a token of one hour. Error bodies here are older than the Graph
 * envelope.
 */
export function instagramCodeExchange(
  request: Incoming,
  { app, grants, now, accounts }: InstagramTokenRules & { readonly accounts: Accounts },
): SandboxAnswer {
  const form = request.form();
  const refuse = (message: string) => json(400, { error_type: 'OAuthException', code: 400, error_message: message });
  const absent = ['client_id', 'client_secret', 'grant_type', 'redirect_uri', 'code'].find((name) => !form.get(name));
  if (absent !== undefined) return refuse(`Missing required field ${absent}`);
  if (form.get('grant_type') !== 'authorization_code') return refuse('Invalid grant_type');
  if (form.get('client_id') !== app.clientId) return refuse('Invalid platform app');
  if (form.get('client_secret') !== app.clientSecret) return refuse('Error validating client secret.');
  const code = grants.takeCode('instagram', form.get('code')!);
  if (code === null || code.expiresAt <= now) return refuse('Matching code was not found or was already used');
  if (code.redirectUri !== form.get('redirect_uri'))
    return refuse(
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    );
  const { grantId } = grants.begin(code);
  const token = grants.issue(grantId, {
    network: 'instagram',
    kind: 'access',
    issuedAt: now,
    lifeMs: HOUR_MS,
    longLived: false,
  });
  return tokenAnswer(token, code, accounts.get(code.accountId)!);
}

function longLived(grantId: string, { grants, now }: InstagramTokenRules): SandboxAnswer {
  const token = grants.issue(grantId, {
    network: 'instagram',
    kind: 'access',
    issuedAt: now,
    lifeMs: LONG_LIFE_MS,
    longLived: true,
  });
  return json(200, { access_token: token, token_type: 'bearer', expires_in: LONG_LIFE_MS / 1000 });
}

/** GET /access_token: exchanges a token of one hour for one of sixty days. */
export function instagramLongLivedExchange(request: Incoming, rules: InstagramTokenRules): SandboxAnswer {
  if (request.query.get('grant_type') !== 'ig_exchange_token')
    return parameterError('(#100) The parameter grant_type must be ig_exchange_token.');
  if (request.query.get('client_secret') !== rules.app.clientSecret)
    return graphError({ code: 1, message: 'Error validating client secret.' });
  const found = rules.grants.look('instagram', bearer(request, request.query), rules.now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  return found.token.longLived
    ? graphError({ code: 452, message: 'Session key invalid: the token is long-lived already.' })
    : longLived(found.token.grantId, rules);
}

/** GET /refresh_access_token: another sixty days, for a token that has lived a day and not yet sixty. */
export function instagramRefresh(request: Incoming, rules: InstagramTokenRules): SandboxAnswer {
  if (request.query.get('grant_type') !== 'ig_refresh_token')
    return parameterError('(#100) The parameter grant_type must be ig_refresh_token.');
  const found = rules.grants.look('instagram', bearer(request, request.query), rules.now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  if (!found.token.longLived) return parameterError('(#100) Only a long-lived access token can be refreshed.');
  if (rules.now - found.token.issuedAt < REFRESHABLE_AFTER_MS)
    return parameterError('(#100) The access token must be at least 24 hours old to be refreshed.');
  return longLived(found.token.grantId, rules);
}
