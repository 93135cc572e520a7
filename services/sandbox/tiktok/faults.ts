import type { Answer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, Holder } from '../grants.ts';
import { ACCOUNT_CALLS, TIKTOK_SCOPES } from './calls.ts';
import { invalidToken, missingScope, restricted, RESTRICTION_REASONS, tooManyCalls, tooManyPosts } from './envelope.ts';

/** The upload has no token of an account: what a token is needed for is met elsewhere. */
const WITH_TOKEN = ['video.init', ...ACCOUNT_CALLS.filter((call) => call !== 'video.upload' && call !== 'video.init')];
const POSTING = ['video.init', 'content.init'];
const COMPLETING = ['video.upload', 'content.init', 'video.init'];

/** The first call of each is meant when none is named. */
export const TIKTOK_FAULTS: FaultRules = {
  token_revoked: { calls: WITH_TOKEN },
  scope_removed: { calls: WITH_TOKEN },
  account_restricted: { calls: POSTING, reasons: RESTRICTION_REASONS },
  rate_limited: { calls: WITH_TOKEN },
  quota_exhausted: { calls: POSTING },
  processing_stuck: { calls: COMPLETING },
  processing_failed: {
    calls: COMPLETING,
    reasons: [
      ...['internal', 'file_format_check_failed', 'duration_check_failed', 'frame_rate_check_failed', 'picture_size_check_failed'],
      ...['spam_risk_text', 'spam_risk', 'auth_removed', 'spam_risk_too_many_posts'],
    ],
  },
  media_fetch_blocked: { calls: ['content.init', 'video.init'] },
  duplicate: { calls: POSTING },
  permalink_missing: { calls: ['status.fetch'] },
  tiktok_no_post_id: { calls: COMPLETING },
  moderation_hold: { calls: COMPLETING },
};

/**
 * What a fault makes TikTok answer; null: the work is done, with the fault in it. A revoked token and a removed scope stay so: later
 * calls meet them too, until the person consents again.
 */
export function playFault(fault: Fault<NetworkFault>, { grant }: Holder, grants: Grants): Answer | null {
  switch (fault.fault) {
    case 'token_revoked':
      grants.revoke(grant.grantId);
      return invalidToken();
    case 'scope_removed':
      grants.removeScopes(grant.grantId, TIKTOK_SCOPES);
      return missingScope();
    case 'account_restricted':
      return restricted(fault.reason);
    case 'rate_limited':
      return tooManyCalls();
    case 'quota_exhausted':
    case 'duplicate':
      return tooManyPosts();
    default:
      return null;
  }
}
