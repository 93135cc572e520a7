import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import { ACCOUNT_CALLS, TIKTOK_SCOPES } from './calls.ts';
import {
  invalidToken,
  missingScope,
  QUOTAS,
  refusalFor,
  RESTRICTIONS,
  tooManyCalls,
  unverifiedUrl,
} from './envelope.ts';

const POSTING = ['video.init', 'content.init', 'creator_info'];
/** At the beginning of an upload they wait for its end. */
const COMPLETING = ['video.upload', 'content.init', 'video.init'];

/** Why a complete upload did not become a post. */
export const FAIL_REASONS = [
  ...[
    'internal',
    'file_format_check_failed',
    'duration_check_failed',
    'frame_rate_check_failed',
    'picture_size_check_failed',
  ],
  ...['video_pull_failed', 'photo_pull_failed', 'publish_cancelled', 'auth_removed'],
  ...['spam_risk_too_many_posts', 'spam_risk_user_banned_from_posting', 'spam_risk_text', 'spam_risk'],
];

/**
 * The address of an upload knows no token, so faults of tokens are met at other calls. The first call of each is the
 * default.
 */
export const TIKTOK_FAULTS: FaultRules = {
  token_revoked: { calls: ACCOUNT_CALLS },
  scope_removed: { calls: ACCOUNT_CALLS },
  account_restricted: { calls: POSTING, reasons: Object.keys(RESTRICTIONS) },
  rate_limited: { calls: ACCOUNT_CALLS },
  quota_exhausted: { calls: POSTING, reasons: Object.keys(QUOTAS) },
  processing_stuck: { calls: COMPLETING },
  processing_failed: { calls: COMPLETING, reasons: FAIL_REASONS },
  media_fetch_blocked: { calls: ['content.init', 'video.init'], reasons: ['unreachable', 'unverified'] },
  permalink_missing: { calls: ['status.fetch', 'video.list'] },
  tiktok_no_post_id: { calls: COMPLETING },
  moderation_hold: { calls: COMPLETING },
};

/**
 * TikTok's answer to a call with a fault; null: the work is done, with the fault in it. A revoked token and a removed
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
      return invalidToken();
    case 'scope_removed':
      grants.removeScopes(grant.grantId, TIKTOK_SCOPES);
      return missingScope();
    case 'account_restricted':
      return refusalFor(RESTRICTIONS, reason);
    case 'rate_limited':
      return tooManyCalls();
    case 'quota_exhausted':
      return refusalFor(QUOTAS, reason);
    case 'media_fetch_blocked':
      return reason === 'unverified' ? unverifiedUrl() : null;
    default:
      return null;
  }
}
