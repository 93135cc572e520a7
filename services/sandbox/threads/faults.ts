import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import type { Timing } from '../timing.ts';
import { ACCOUNT_CALLS } from './calls.ts';
import { ERROR_MESSAGES } from './containers.ts';
import {
  judgedSpam,
  noPermission,
  quotaReached,
  rateLimited,
  revokedToken,
  samePostAgain,
  unsupportedGet,
  userRestricted,
} from './graph-errors.ts';
import { THREADS_SCOPES } from './oauth.ts';

const CREATING = ['threads.create', 'replies.create'];
const POSTING = ['threads.publish', 'threads.create', 'replies.publish', 'replies.create'];
const ANY_OF_ACCOUNT = ['threads.publish', ...ACCOUNT_CALLS.filter((call) => call !== 'threads.publish')];

/** Some apply to one call only, which is then their default. */
export const THREADS_FAULTS: FaultRules = {
  token_revoked: { calls: ANY_OF_ACCOUNT },
  scope_removed: { calls: ANY_OF_ACCOUNT },
  account_restricted: { calls: POSTING, reasons: ['restricted', 'spam'] },
  rate_limited: { calls: ANY_OF_ACCOUNT },
  quota_exhausted: { calls: POSTING },
  processing_stuck: { calls: CREATING },
  processing_failed: { calls: CREATING, reasons: ERROR_MESSAGES },
  media_fetch_blocked: { calls: CREATING },
  duplicate: { calls: POSTING },
  permalink_missing: { calls: ['media.read', 'threads.list', 'replies.list'] },
  container_read_100_33: { calls: ['containers.read'] },
};

/** The window of call limits, before the timing factor, unless the fault's `delayMs` says otherwise. */
const RATE_LIMITED_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface ThreadsFaultOptions {
  readonly grants: Grants;
  readonly timing: Timing;
}

/**
 * Threads' answer to a call with a fault; null: the work is done, with the fault in it. A revoked token and a removed
 * scope stay: later calls meet them too, until the person consents again.
 */
export function playFault(
  fault: Fault<NetworkFault>,
  objectId: string,
  { grant, account }: GrantHolder,
  options: ThreadsFaultOptions,
): SandboxAnswer | null {
  switch (fault.fault) {
    case 'token_revoked':
      options.grants.revoke(grant.grantId);
      return revokedToken();
    case 'scope_removed':
      options.grants.removeScopes(grant.grantId, THREADS_SCOPES);
      return noPermission();
    case 'account_restricted':
      return fault.reason === 'spam' ? judgedSpam() : userRestricted();
    case 'rate_limited':
      return rateLimited(
        account.accountId,
        Math.ceil((fault.delayMs ?? options.timing.scaled('threads', RATE_LIMITED_MS)) / MINUTE_MS),
      );
    case 'quota_exhausted':
      return quotaReached();
    case 'duplicate':
      return samePostAgain();
    case 'container_read_100_33':
      return unsupportedGet(objectId);
    default:
      return null;
  }
}
