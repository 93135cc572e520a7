import type { Answer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, Holder } from '../grants.ts';
import { CHANNEL_CALLS, SESSION_CALLS, YOUTUBE_SCOPES } from './calls.ts';
import { missingScope, quotaExceeded, rateLimited, restricted, RESTRICTION_REASONS, unauthorized, uploadLimit } from './errors.ts';

/** The first call of each is meant when none is named. */
export const YOUTUBE_FAULTS: FaultRules = {
  token_revoked: { calls: CHANNEL_CALLS },
  scope_removed: { calls: CHANNEL_CALLS },
  account_restricted: { calls: ['videos.insert', 'channels.list'], reasons: RESTRICTION_REASONS },
  rate_limited: { calls: CHANNEL_CALLS },
  // Of the project, or with `channel` of the channel.
  quota_exhausted: { calls: ['videos.insert'], reasons: ['project', 'channel'] },
  processing_stuck: { calls: ['videos.upload'] },
  processing_failed: {
    calls: ['videos.upload'],
    reasons: [
      ...['codec', 'conversion', 'emptyFile', 'invalidFile', 'tooSmall', 'uploadAborted'],
      ...['rejected copyright', 'rejected length', 'rejected inappropriate', 'rejected uploaderAccountSuspended'],
    ],
  },
  duplicate: { calls: ['videos.upload'] },
  yt_session_gone: { calls: SESSION_CALLS },
};

/**
 * What a fault makes Google answer; null: the work is done, with the fault in it. A revoked token and a removed scope stay so: later
 * calls meet them too, until the person consents again.
 */
export function playFault(fault: Fault<NetworkFault>, { grant }: Holder, grants: Grants): Answer | null {
  switch (fault.fault) {
    case 'token_revoked':
      grants.revoke(grant.grantId);
      return unauthorized();
    case 'scope_removed':
      grants.removeScopes(grant.grantId, YOUTUBE_SCOPES);
      return missingScope();
    case 'account_restricted':
      return restricted(fault.reason);
    case 'rate_limited':
      return rateLimited();
    case 'quota_exhausted':
      return fault.reason === 'channel' ? uploadLimit() : quotaExceeded();
    default:
      return null;
  }
}
