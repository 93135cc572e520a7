import type { Account } from '../accounts.ts';
import { consent, type ConsentOptions, type ConsentRules, type DeclinedScopes } from '../consent.ts';
import { refusalPage } from '../consent-page.ts';
import { html, json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import { readParameters } from '../graph/parameters.ts';
import type { SandboxApp } from '../simulator.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
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

/**
 * The scopes that a person declined. The dialog leaves them out from then on, until the app asks for them again or the
 * person removes it.
 */
function declinedScopes(store: SandboxStore, asksAgain: boolean): DeclinedScopes {
  const kept = shelf<{ readonly scopes: readonly string[] }>(store, 'facebook.declined-scopes');
  const keyOf = ({ accountId, generation }: Account) => `${accountId}/${generation}`;
  return {
    of: (account) => (asksAgain ? [] : (kept.get(keyOf(account))?.scopes ?? [])),
    keep: (account, scopes) => kept.put(keyOf(account), { scopes }),
  };
}

const invalidScopes = (scopes: readonly string[]): string =>
  `Invalid Scopes: ${scopes.join(', ')}. This message is only shown to developers. Users of your app will ignore these permissions if present. Please read the documentation for valid permissions at: https://developers.facebook.com/docs/facebook-login/permissions`;

/** Why the dialog of an app of kind Business is closed to this request, or an app of another kind to configurations. */
function wrongWay(parameters: URLSearchParams, isBusiness: boolean): string | null {
  const configId = parameters.get('config_id') ?? '';
  if (isBusiness)
    return configId === '' || (parameters.get('scope') ?? '') !== ''
      ? "It looks like this app isn't available. To fix this, please contact Sandbox app."
      : null;
  return configId === '' ? null : 'The parameter config_id is not the one of a configuration of this app.';
}

function consentRules(parameters: URLSearchParams, isBusiness: boolean, options: DialogOptions): ConsentRules {
  return {
    network: 'facebook',
    app: options.app,
    scopes: FACEBOOK_SCOPES,
    scopeSeparator: ',',
    pkce: false,
    refuseScopes: invalidScopes,
    // People grant a configuration whole, or not at all.
    declinable: !isBusiness,
    declinedScopes: declinedScopes(options.store, parameters.get('auth_type') === 'rerequest'),
    ...(isBusiness ? { configuredScopes: FACEBOOK_SCOPES } : {}),
    codeLifeMs: CODE_LIFE_MS,
    fragment: '#_=_',
    kind: (call) => (['', SEVERAL_PAGES, ANALYST].includes(call) ? call : null),
  };
}

type DialogOptions = FacebookTokenRules & ConsentOptions & { readonly store: SandboxStore };

/** GET and POST /dialog/oauth. A refusal is redirected with Facebook's own words for it. */
export function facebookConsent(request: Incoming, options: DialogOptions): SandboxAnswer {
  const parameters = request.method === 'POST' ? request.form() : request.query;
  const isBusiness = options.appStates.get('facebook').state === 'business_login';
  const wrong = wrongWay(parameters, isBusiness);
  if (wrong !== null) return html(400, refusalPage('facebook', wrong));
  const answer = consent(request, consentRules(parameters, isBusiness, options), options);
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
