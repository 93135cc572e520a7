import type { ConsentRules } from '../consent.ts';
import { json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Grants } from '../grants.ts';
import type { SandboxApp } from '../simulator.ts';
import { YOUTUBE_SCOPES } from './calls.ts';

const HOUR_MS = 3_600_000;
const ACCESS_LIFE_MS = HOUR_MS - 1_000;
/** As long as it is used now and then, it has no end. */
const REFRESH_LIFE_MS = 10 * 365 * 24 * HOUR_MS;

export function youtubeConsentRules(app: SandboxApp): ConsentRules {
  return { network: 'youtube', app, scopes: YOUTUBE_SCOPES, scopeSeparator: ' ', pkce: false, codeLifeMs: HOUR_MS / 6, fragment: '', kind: () => '' };
}

export interface YoutubeTokenRules {
  readonly app: SandboxApp;
  readonly grants: Grants;
  readonly now: number;
}

const refuse = (error: string, description: string, status = 400): Answer => json(status, { error, error_description: description });

/** POST /token: a code for a pair, or the refresh token, which stays the same, for another access token. */
export function youtubeToken(request: Incoming, { app, grants, now }: YoutubeTokenRules): Answer {
  const form = request.form();
  if (form.get('client_id') !== app.clientId || form.get('client_secret') !== app.clientSecret) return refuse('invalid_client', 'The OAuth client was not found.', 401);
  const access = (grantId: string) => grants.issue(grantId, { network: 'youtube', kind: 'access', issuedAt: now, lifeMs: ACCESS_LIFE_MS, longLived: false });
  const told = (grantId: string, scopes: readonly string[]) => {
    return { access_token: access(grantId), expires_in: ACCESS_LIFE_MS / 1000, scope: scopes.join(' '), token_type: 'Bearer' };
  };
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const code = grants.takeCode('youtube', form.get('code') ?? '');
      if (code === null || code.expiresAt <= now) return refuse('invalid_grant', 'Malformed auth code.');
      if (code.redirectUri !== form.get('redirect_uri')) return refuse('redirect_uri_mismatch', 'Bad Request');
      const { grantId } = grants.begin(code);
      const refreshToken = grants.issue(grantId, { network: 'youtube', kind: 'refresh', issuedAt: now, lifeMs: REFRESH_LIFE_MS, longLived: true });
      return json(200, { ...told(grantId, code.scopes), refresh_token: refreshToken });
    }
    case 'refresh_token': {
      const found = grants.look('youtube', form.get('refresh_token') ?? '', now);
      if (found.state !== 'live' || found.token.kind !== 'refresh') return refuse('invalid_grant', 'Token has been expired or revoked.');
      return json(200, told(found.grant.grantId, found.grant.scopes));
    }
    default:
      return refuse('unsupported_grant_type', 'Invalid grant_type.');
  }
}

/** POST /revoke */
export function youtubeRevoke(request: Incoming, { grants, now }: YoutubeTokenRules): Answer {
  const found = grants.look('youtube', request.form().get('token') ?? request.query.get('token') ?? '', now);
  if (found.state === 'unknown') return refuse('invalid_token', 'Token expired or revoked');
  grants.revoke(found.grant.grantId);
  return json(200, {});
}
