import type { ConsentRules } from '../consent.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { expiredToken, graphError, parameterError, revokedToken, unknownToken } from './graph-errors.ts';
import { bearer } from '../graph/parameters.ts';

const HOUR_MS = 3_600_000;
const CODE_LIFE_MS = HOUR_MS;
const SHORT_LIFE_MS = HOUR_MS;
const LONG_LIFE_MS = 60 * 24 * HOUR_MS;
const REFRESHABLE_AFTER_MS = 24 * HOUR_MS;

export const THREADS_SCOPES = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_insights',
  'threads_manage_replies',
  'threads_read_replies',
  'threads_keyword_search',
  'threads_manage_mentions',
  'threads_delete',
];

export function threadsConsentRules(app: SandboxApp): ConsentRules {
  return {
    network: 'threads',
    app,
    scopes: THREADS_SCOPES,
    scopeSeparator: ',',
    pkce: false,
    codeLifeMs: CODE_LIFE_MS,
    fragment: '#_',
    kind: () => '',
  };
}

export interface ThreadsTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

const wrongSecret = () =>
  graphError({ status: 400, type: 'OAuthException', code: 1, message: 'Error validating client secret.' });

/**
 * POST /oauth/access_token: exchanges a code for a token of one hour. Error bodies here are older than the Graph
 * envelope.
 */
export function threadsCodeExchange(request: Incoming, { app, grants, now }: ThreadsTokenRules): SandboxAnswer {
  const form = request.form();
  const refuse = (message: string) => json(400, { error_type: 'OAuthException', code: 400, error_message: message });
  const absent = ['client_id', 'client_secret', 'code', 'grant_type', 'redirect_uri'].find((name) => !form.get(name));
  if (absent !== undefined) return refuse(`Missing required field ${absent}`);
  if (form.get('grant_type') !== 'authorization_code') return refuse('Invalid grant_type');
  if (form.get('client_id') !== app.clientId) return refuse('Invalid platform app');
  if (form.get('client_secret') !== app.clientSecret) return refuse('Error validating client secret.');
  const code = grants.takeCode('threads', form.get('code')!);
  if (code === null || code.expiresAt <= now) return refuse('This authorization code has been used or has expired');
  if (code.redirectUri !== form.get('redirect_uri'))
    return refuse(
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    );
  const { grantId } = grants.begin(code);
  const token = grants.issue(grantId, {
    network: 'threads',
    kind: 'access',
    issuedAt: now,
    lifeMs: SHORT_LIFE_MS,
    longLived: false,
  });
  return json(200, { access_token: token, user_id: code.accountId });
}

function longLived(grantId: string, { grants, now }: ThreadsTokenRules): SandboxAnswer {
  const token = grants.issue(grantId, {
    network: 'threads',
    kind: 'access',
    issuedAt: now,
    lifeMs: LONG_LIFE_MS,
    longLived: true,
  });
  return json(200, { access_token: token, token_type: 'bearer', expires_in: LONG_LIFE_MS / 1000 });
}

/** GET /access_token: exchanges a token of one hour for one of sixty days. */
export function threadsLongLivedExchange(request: Incoming, rules: ThreadsTokenRules): SandboxAnswer {
  if (request.query.get('grant_type') !== 'th_exchange_token')
    return parameterError('(#100) The parameter grant_type must be th_exchange_token.');
  if (request.query.get('client_secret') !== rules.app.clientSecret) return wrongSecret();
  const found = rules.grants.look('threads', bearer(request, request.query), rules.now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  return found.token.longLived
    ? parameterError('(#100) The access token is long-lived already.')
    : longLived(found.token.grantId, rules);
}

/** GET /refresh_access_token: another sixty days, for a token that has lived a day and not yet sixty. */
export function threadsRefresh(request: Incoming, rules: ThreadsTokenRules): SandboxAnswer {
  if (request.query.get('grant_type') !== 'th_refresh_token')
    return parameterError('(#100) The parameter grant_type must be th_refresh_token.');
  const found = rules.grants.look('threads', bearer(request, request.query), rules.now);
  if (found.state === 'expired') return expiredToken();
  if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
  if (!found.token.longLived) return parameterError('(#100) Only a long-lived access token can be refreshed.');
  if (rules.now - found.token.issuedAt < REFRESHABLE_AFTER_MS)
    return parameterError('(#100) The access token must be at least 24 hours old to be refreshed.');
  return longLived(found.token.grantId, rules);
}
