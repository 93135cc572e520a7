import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import type { Timing } from '../timing.ts';
import { ACCOUNT_CALLS, INSTAGRAM_SCOPES } from './calls.ts';
import {
  noPermission,
  quotaReached,
  rateLimited,
  restricted,
  RESTRICTION_REASONS,
  revokedToken,
  samePostAgain,
  SPAM_THOUGH_DONE,
  unsupported,
} from './graph-errors.ts';

const POSTING = ['media.publish', 'media.create'];
const SPEAKING = [...POSTING, 'comments.create'];

/** The first call of each is the default. */
export const INSTAGRAM_FAULTS: FaultRules = {
  token_revoked: { calls: ACCOUNT_CALLS },
  scope_removed: { calls: ACCOUNT_CALLS },
  account_restricted: { calls: SPEAKING, reasons: RESTRICTION_REASONS },
  rate_limited: { calls: ACCOUNT_CALLS },
  // A read of the account's limit says that none is left.
  quota_exhausted: { calls: [...POSTING, 'publishing_limit'] },
  processing_stuck: { calls: ['media.create', 'media.upload'] },
  processing_failed: {
    calls: ['media.create', 'media.upload'],
    reasons: ['2207026', '2207053', '2207003', '2207032', '2207001', '2207057', '2207077', '2207081', '2207082'],
  },
  media_fetch_blocked: { calls: ['media.create'], reasons: ['unreachable', 'slow'] },
  duplicate: { calls: SPEAKING },
  permalink_missing: { calls: ['media.read', 'media.list', 'stories.list'] },
  container_read_100_33: { calls: ['containers.read'] },
};

/** The window of call limits, before the timing factor, unless the fault's `delayMs` says otherwise. */
const RATE_LIMITED_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface InstagramFaultOptions {
  readonly grants: Grants;
  readonly timing: Timing;
}

/**
 * Instagram's answer to a call with a fault; null: the work is done, with the fault in it. A revoked token and a
 * removed scope stay: later calls meet them too, until the person consents again.
 */
export function playFault(
  fault: Fault<NetworkFault>,
  objectId: string,
  { grant, account }: GrantHolder,
  options: InstagramFaultOptions,
): SandboxAnswer | null {
  if (fault.fault === 'quota_exhausted' && fault.call === 'publishing_limit') return null;
  switch (fault.fault) {
    case 'token_revoked':
      options.grants.revoke(grant.grantId);
      return revokedToken();
    case 'scope_removed':
      options.grants.removeScopes(grant.grantId, INSTAGRAM_SCOPES);
      return noPermission();
    case 'account_restricted':
      return fault.reason === SPAM_THOUGH_DONE ? null : restricted(fault.reason);
    case 'rate_limited':
      return rateLimited(
        account.accountId,
        Math.ceil((fault.delayMs ?? options.timing.scaled('instagram', RATE_LIMITED_MS)) / MINUTE_MS),
      );
    case 'quota_exhausted':
      return quotaReached();
    case 'duplicate':
      return samePostAgain();
    case 'container_read_100_33':
      return unsupported('get', objectId);
    default:
      return null;
  }
}
