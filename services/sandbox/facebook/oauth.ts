import type { Accounts } from '../accounts.ts';
import { consent, type ConsentRules } from '../consent.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import { readParameters } from '../graph/parameters.ts';
import type { SandboxApp } from '../simulator.ts';
import { FACEBOOK_SCOPES } from './calls.ts';
import { expiredToken, graphError, parameterError, revokedToken, unknownToken } from './graph-errors.ts';

const HOUR_MS = 3_600_000;
const CODE_LIFE_MS = HOUR_MS / 6;
const SHORT_LIFE_MS = 2 * HOUR_MS;
const LONG_LIFE_MS = 60 * 24 * HOUR_MS;

/** `account_kind` at the consent: the person has a second Page. */
export const SEVERAL_PAGES = 'several';
/** The person may read the Page, but not publish on it. */
export const ANALYST = 'analyst';

export interface FacebookTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

function consentRules(app: SandboxApp): ConsentRules {
  return {
    network: 'facebook',
    app,
    scopes: FACEBOOK_SCOPES,
    scopeSeparator: ',',
    pkce: false,
    declinable: true,
    codeLifeMs: CODE_LIFE_MS,
    fragment: '#_=_',
    kind: (call) => (['', SEVERAL_PAGES, ANALYST].includes(call) ? call : null),
  };
}

/** GET and POST /dialog/oauth. A refusal is redirected with Facebook's own words for it. */
export function facebookConsent(
  request: Incoming,
  options: FacebookTokenRules & { readonly accounts: Accounts },
): SandboxAnswer {
  const answer = consent(request, consentRules(options.app), options);
  const back = answer.headers['location'];
  if (back === undefined || new URL(back).searchParams.get('error') !== 'access_denied') return answer;
  const target = new URL(back);
  target.searchParams.set('error_code', '200');
  target.searchParams.set('error_description', 'Permissions error');
  target.searchParams.set('error_reason', 'user_denied');
  return { ...answer, headers: { ...answer.headers, location: target.href } };
}

const refuse = (subcode: number, message: string) => graphError({ code: 100, subcode, message });

/**
 * GET or POST /oauth/access_token: exchanges a code for a person's token, or a short-lived token for one of sixty days.
 */
export function facebookToken(request: Incoming, rules: FacebookTokenRules): SandboxAnswer {
  const parameters = readParameters(request);
  const { app } = rules;
  if (parameters.get('client_id') !== app.clientId)
    return graphError({
      code: 101,
      message: 'Error validating application. Cannot get application info due to a system error.',
    });
  if (parameters.get('client_secret') !== app.clientSecret)
    return graphError({ code: 1, message: 'Error validating client secret.' });
  const kind = parameters.get('grant_type') ?? 'authorization_code';
  if (kind === 'fb_exchange_token') return prolong(parameters, rules);
  return kind === 'authorization_code'
    ? exchange(parameters, rules)
    : parameterError('(#100) Param grant_type must be one of {authorization_code, fb_exchange_token}');
}

function exchange(parameters: URLSearchParams, { grants, now }: FacebookTokenRules): SandboxAnswer {
  const given = parameters.get('code') ?? '';
  if (given === '') return parameterError('(#100) Missing authorization code');
  const code = grants.takeCode('facebook', given);
  if (code === null) return refuse(36_009, 'This authorization code has been used.');
  if (code.expiresAt <= now) return refuse(36_007, 'This authorization code has expired.');
  if (code.redirectUri !== parameters.get('redirect_uri')) {
    return refuse(
      36_008,
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    );
  }
  return issue(grants.begin(code).grantId, SHORT_LIFE_MS, { grants, now });
}

function prolong(parameters: URLSearchParams, { grants, now }: FacebookTokenRules): SandboxAnswer {
  const found = grants.look('facebook', parameters.get('fb_exchange_token') ?? '', now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  return found.token.subject === 'person'
    ? issue(found.grant.grantId, LONG_LIFE_MS, { grants, now })
    : parameterError('(#100) Only a token of a person can be exchanged.');
}

function issue(
  grantId: string,
  lifeMs: number,
  { grants, now }: Pick<FacebookTokenRules, 'grants' | 'now'>,
): SandboxAnswer {
  const token = grants.issue(grantId, {
    network: 'facebook',
    kind: 'access',
    subject: 'person',
    issuedAt: now,
    lifeMs,
    longLived: lifeMs === LONG_LIFE_MS,
  });
  return json(200, { access_token: token, token_type: 'bearer', expires_in: lifeMs / 1000 });
}
