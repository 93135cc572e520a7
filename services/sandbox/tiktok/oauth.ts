import type { ConsentRules } from '../consent.ts';
import { json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { TIKTOK_SCOPES } from './calls.ts';

const HOUR_MS = 3_600_000;
const ACCESS_LIFE_MS = 24 * HOUR_MS;
const REFRESH_LIFE_MS = 365 * 24 * HOUR_MS;

/** An account that only its followers see. */
export const PRIVATE = 'private';

export function tiktokConsentRules(app: SandboxApp): ConsentRules {
  return {
    ...{ network: 'tiktok', app, scopes: TIKTOK_SCOPES, scopeSeparator: ',', pkce: false, clientParameter: 'client_key', tellsScopes: true, codeLifeMs: HOUR_MS / 6, fragment: '' },
    kind: (asked) => (asked === '' || asked === PRIVATE ? asked : null),
  };
}

export interface TiktokTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

/** Errors of the sign-in come with 200, and without the envelope of the API. */
function refuse(error: string, description: string): Answer {
  return json(200, { error, error_description: description, log_id: '20261120' });
}

function pair(grantId: string, openId: string, scopes: readonly string[], { grants, now }: TiktokTokenRules): Answer {
  const token = (kind: 'access' | 'refresh', lifeMs: number) => grants.issue(grantId, { network: 'tiktok', kind, issuedAt: now, lifeMs, longLived: false });
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

/** POST /v2/oauth/token/: a code, or a refresh token, for a new pair. An old refresh token is good for nothing afterwards. */
export function tiktokToken(request: Incoming, rules: TiktokTokenRules): Answer {
  const form = request.form();
  const { app, grants, now } = rules;
  if (form.get('client_key') !== app.clientId || form.get('client_secret') !== app.clientSecret) return refuse('invalid_client', 'Client key or secret is incorrect.');
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const code = grants.takeCode('tiktok', form.get('code') ?? '');
      if (code === null || code.expiresAt <= now) return refuse('invalid_grant', 'Authorization code is invalid or expired.');
      if (code.redirectUri !== form.get('redirect_uri')) return refuse('invalid_request', 'Redirect_uri is not matched with the uri when requesting code.');
      return pair(grants.begin(code).grantId, code.accountId, code.scopes, rules);
    }
    case 'refresh_token': {
      const value = form.get('refresh_token') ?? '';
      const found = grants.look('tiktok', value, now);
      if (found.state !== 'live' || found.token.kind !== 'refresh') return refuse('invalid_grant', 'Refresh token is invalid or expired.');
      grants.spend(value);
      return pair(found.grant.grantId, found.account.accountId, found.grant.scopes, rules);
    }
    default:
      return refuse('unsupported_grant_type', 'Grant type is not supported.');
  }
}

/** POST /v2/oauth/revoke/ */
export function tiktokRevoke(request: Incoming, { app, grants, now }: TiktokTokenRules): Answer {
  const form = request.form();
  if (form.get('client_key') !== app.clientId || form.get('client_secret') !== app.clientSecret) return refuse('invalid_client', 'Client key or secret is incorrect.');
  const found = grants.look('tiktok', form.get('token') ?? '', now);
  if (found.state === 'unknown') return refuse('invalid_request', 'Token is invalid.');
  grants.revoke(found.grant.grantId);
  return json(200, {});
}
