import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import type { SimulatorOptions } from '../simulator.ts';
import { parameterError } from './graph-errors.ts';
import { pagesOf } from './pages.ts';
import { personIdOf } from './people.ts';

const DATA_ACCESS_MS = 90 * 86_400_000;

const seconds = (instant: number): number => Math.floor(instant / 1000);

/** GET /debug_token, called by the app itself: what a token is for, and whether it is alive. */
export function debugToken(request: Incoming, options: SimulatorOptions): SandboxAnswer {
  const { app, grants, clock } = options;
  const parameters = readParameters(request);
  if (bearer(request, parameters) !== `${app.clientId}|${app.clientSecret}`) {
    return parameterError(
      '(#100) You must provide an app access token, or a user access token that is an owner or developer of the app',
    );
  }
  const input = parameters.get('input_token') ?? '';
  if (input === '') return parameterError('(#100) The parameter input_token is required');
  const found = grants.look('facebook', input, clock.now());
  if (found.state === 'unknown')
    return json(200, {
      data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] },
    });
  const { token, grant, account } = found;
  const person = token.subject === 'person';
  const targets = person ? pagesOf(found, options).map(({ accountId }) => accountId) : [account.accountId];
  const error = { code: 190, message: 'Error validating access token', subcode: found.state === 'expired' ? 463 : 458 };
  const about = {
    app_id: app.clientId,
    type: person ? 'USER' : 'PAGE',
    application: 'Sandbox app',
    data_access_expires_at: seconds(token.issuedAt + DATA_ACCESS_MS),
    // Tokens of Pages do not expire, except those made of a short-lived token.
    expires_at: person || !token.longLived ? seconds(token.expiresAt) : 0,
    is_valid: found.state === 'live',
    issued_at: seconds(token.issuedAt),
    ...(person ? {} : { profile_id: account.accountId }),
    scopes: grant.scopes,
    granular_scopes: grant.scopes.map((scope) =>
      scope.startsWith('pages_') ? { scope, target_ids: targets } : { scope },
    ),
    user_id: personIdOf(account),
  };
  return json(200, { data: { ...(about.is_valid ? {} : { error }), ...about } });
}
