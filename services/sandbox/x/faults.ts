import type { Clock } from '#ports/clock.ts';
import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import type { Timing } from '../timing.ts';
import { ACCOUNT_CALLS, NEEDED_SCOPES, type AccountCall } from './calls.ts';
import { X_SCOPES } from './oauth.ts';
import {
  clientNotEnrolled,
  creditsDepleted,
  duplicateContent,
  legacyError,
  missingScope,
  tooManyRequests,
  unauthorized,
  usageCapped,
  withHeaders,
} from './problems.ts';
import type { RateWindows } from './rate-windows.ts';

export const X_FAULTS: FaultRules = {
  token_revoked: { calls: ACCOUNT_CALLS },
  scope_removed: { calls: ACCOUNT_CALLS },
  account_restricted: { calls: ACCOUNT_CALLS, reasons: ['suspended', 'locked', 'automated', 'not_enrolled'] },
  rate_limited: { calls: ACCOUNT_CALLS },
  quota_exhausted: { calls: ACCOUNT_CALLS, reasons: ['monthly', 'daily'] },
  processing_stuck: { calls: ['media.finalize'] },
  processing_failed: { calls: ['media.finalize'], reasons: ['Unsupported video format', 'Invalid video duration'] },
  duplicate: { calls: ['tweets.create', 'tweets.reply'] },
  x_no_credits: { calls: ACCOUNT_CALLS },
};

/** How long a rate-limited account waits, before the timing factor, unless the fault's `delayMs` says otherwise. */
const RATE_LIMITED_MS = 15 * 60_000;

const LOCKED =
  'To protect our users from spam and other malicious activity, this account is temporarily locked. Please log in to https://twitter.com to unlock your account.';
const AUTOMATED =
  "This request looks like it might be automated. To protect our users from spam and other malicious activity, we can't complete this action right now.";

const RESTRICTIONS: Readonly<Record<string, () => SandboxAnswer>> = {
  suspended: () => legacyError(403, 64, 'Your account is suspended and is not permitted to access this feature.'),
  locked: () => legacyError(403, 326, LOCKED),
  automated: () => legacyError(403, 226, AUTOMATED),
  not_enrolled: clientNotEnrolled,
};

export interface XFaultOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly grants: Grants;
  readonly timing: Timing;
  readonly windows: RateWindows;
}

/**
 * X's answer to a call with a fault. A revoked token and a removed scope stay: later calls meet them too, until the
 * person consents again.
 */
export function playFault(
  fault: Fault<NetworkFault>,
  call: AccountCall,
  { grant }: GrantHolder,
  options: XFaultOptions,
): SandboxAnswer | null {
  switch (fault.fault) {
    case 'token_revoked':
      options.grants.revoke(grant.grantId);
      return unauthorized();
    case 'scope_removed':
      options.grants.removeScopes(
        grant.grantId,
        X_SCOPES.filter((scope) => scope !== 'offline.access'),
      );
      return missingScope(NEEDED_SCOPES[call]);
    case 'account_restricted':
      return RESTRICTIONS[fault.reason ?? 'suspended']!();
    case 'rate_limited': {
      const waitMs = fault.delayMs ?? options.timing.scaled('x', RATE_LIMITED_MS);
      return withHeaders(tooManyRequests(), options.windows.exhausted(call, options.clock.now() + waitMs));
    }
    case 'quota_exhausted':
      return fault.reason === 'daily'
        ? legacyError(403, 185, 'User is over daily status update limit.')
        : usageCapped();
    case 'duplicate':
      return duplicateContent();
    case 'x_no_credits':
      return creditsDepleted();
    default:
      return null;
  }
}
