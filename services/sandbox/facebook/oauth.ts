import type { ConsentRules } from '../consent.ts';
import { json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import { readParameters } from '../graph/parameters.ts';
import type { SandboxApp } from '../simulator.ts';
import { expiredToken, graphError, revokedToken, unknownToken } from './graph-errors.ts';

const HOUR_MS = 3_600_000;
const CODE_LIFE_MS = HOUR_MS / 6;
const SHORT_LIFE_MS = 2 * HOUR_MS;
const LONG_LIFE_MS = 60 * 24 * HOUR_MS;

export const FACEBOOK_SCOPES = [
  ...['pages_show_list', 'pages_read_engagement', 'pages_manage_posts', 'business_management', 'pages_manage_engagement', 'publish_video'],
  ...['instagram_basic', 'instagram_content_publish', 'public_profile'],
];

/** `account_kind=several`: the person has a second Page. */
export const SEVERAL_PAGES = 'several';

export function facebookConsentRules(app: SandboxApp): ConsentRules {
  return {
    network: 'facebook',
    app,
    scopes: FACEBOOK_SCOPES,
    scopeSeparator: ',',
    pkce: false,
    codeLifeMs: CODE_LIFE_MS,
    fragment: '#_=_',
    kind: (asked) => (asked === '' || asked === SEVERAL_PAGES ? asked : null),
  };
}

export interface FacebookTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

const refuse = (subcode: number, message: string) => graphError({ code: 100, subcode, message });

/** GET or POST /oauth/access_token: a code for a token of the person, or a short-lived one of those for one of sixty days. */
export function facebookToken(request: Incoming, rules: FacebookTokenRules): Answer {
  const parameters = readParameters(request);
  const { app } = rules;
  if (parameters.get('client_id') !== app.clientId) return graphError({ code: 101, message: 'Error validating application. Cannot get application info due to a system error.' });
  if (parameters.get('client_secret') !== app.clientSecret) return graphError({ code: 1, message: 'Error validating client secret.' });
  return parameters.get('grant_type') === 'fb_exchange_token' ? prolong(parameters, rules) : exchange(parameters, rules);
}

function exchange(parameters: URLSearchParams, { grants, now }: FacebookTokenRules): Answer {
  const code = grants.takeCode('facebook', parameters.get('code') ?? '');
  if (code === null) return refuse(36_009, 'This authorization code has been used.');
  if (code.expiresAt <= now) return refuse(36_007, 'This authorization code has expired.');
  if (code.redirectUri !== parameters.get('redirect_uri')) {
    return refuse(36_008, 'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request');
  }
  const { grantId } = grants.begin(code);
  const token = grants.issue(grantId, { network: 'facebook', kind: 'access', subject: 'person', issuedAt: now, lifeMs: SHORT_LIFE_MS, longLived: false });
  return json(200, { access_token: token, token_type: 'bearer', expires_in: SHORT_LIFE_MS / 1000 });
}

function prolong(parameters: URLSearchParams, { grants, now }: FacebookTokenRules): Answer {
  const found = grants.look('facebook', parameters.get('fb_exchange_token') ?? '', now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  if (found.token.subject !== 'person') return graphError({ code: 100, message: '(#100) Only a token of a person can be exchanged.' });
  const token = grants.issue(found.token.grantId, { network: 'facebook', kind: 'access', subject: 'person', issuedAt: now, lifeMs: LONG_LIFE_MS, longLived: true });
  return json(200, { access_token: token, token_type: 'bearer', expires_in: LONG_LIFE_MS / 1000 });
}
