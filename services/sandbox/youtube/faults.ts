import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import { CHANNEL_CALLS, SESSION_CALLS, YOUTUBE_SCOPES } from './calls.ts';
import { missingScope, QUOTAS, RATES, refusalFor, RESTRICTIONS, unauthorized, videoNotFound } from './errors.ts';
import { FAILURES, REJECTED, REJECTIONS } from './videos.ts';

/** At the start of an upload they wait for its end. */
const COMPLETING = ['videos.upload', 'videos.insert'];

/**
 * The address of an upload knows no token, so faults of tokens are met at other calls. The first call of each is the
 * default.
 */
export const YOUTUBE_FAULTS: FaultRules = {
  token_revoked: { calls: CHANNEL_CALLS },
  scope_removed: { calls: CHANNEL_CALLS },
  account_restricted: { calls: CHANNEL_CALLS, reasons: Object.keys(RESTRICTIONS) },
  rate_limited: { calls: CHANNEL_CALLS, reasons: Object.keys(RATES) },
  quota_exhausted: { calls: CHANNEL_CALLS, reasons: Object.keys(QUOTAS) },
  processing_stuck: { calls: COMPLETING },
  processing_failed: { calls: COMPLETING, reasons: [...FAILURES, ...REJECTIONS.map((reason) => REJECTED + reason)] },
  duplicate: { calls: COMPLETING },
  // The video is not found yet, although it exists.
  permalink_missing: { calls: ['videos.list'] },
  yt_session_gone: { calls: SESSION_CALLS, reasons: ['410', '404'] },
};

/**
 * Google's answer to a call with a fault; null: the work is done, with the fault in it. A revoked token and a removed
 * scope stay: later calls meet them too, until the person consents again.
 */
export function playFault(
  { fault, reason }: Fault<NetworkFault>,
  { grant }: GrantHolder,
  grants: Grants,
): SandboxAnswer | null {
  switch (fault) {
    case 'token_revoked':
      grants.revoke(grant.grantId);
      return unauthorized();
    case 'scope_removed':
      grants.removeScopes(grant.grantId, YOUTUBE_SCOPES);
      return missingScope();
    case 'account_restricted':
      return refusalFor(RESTRICTIONS, reason);
    case 'rate_limited':
      return refusalFor(RATES, reason);
    case 'quota_exhausted':
      return refusalFor(QUOTAS, reason);
    case 'permalink_missing':
      return videoNotFound();
    default:
      return null;
  }
}
