import type { SandboxAnswer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, GrantHolder } from '../grants.ts';
import type { Timing } from '../timing.ts';
import { RATE_LIMIT_REASONS, rateLimited } from './call-limits.ts';
import { FACEBOOK_SCOPES, PAGE_CALLS, PERSON_CALLS, PUBLISHING, UPLOAD_CALL } from './calls.ts';
import {
  DEAD_TOKEN_REASONS,
  deadToken,
  edgeLimit,
  noPermission,
  restricted,
  RESTRICTION_REASONS,
  samePostAgain,
} from './graph-errors.ts';
import { VIDEO_PROBLEMS } from './video-problems.ts';

const FINISHING = ['video_reels.finish', 'video_stories.finish', 'videos.finish'];
const FIRST_PROBLEM = '1363024';
const PROBLEMS = [FIRST_PROBLEM, ...Object.keys(VIDEO_PROBLEMS).filter((problem) => problem !== FIRST_PROBLEM)];
const GRAPH_CALLS = [...PAGE_CALLS, ...PERSON_CALLS];

/** The first call of each is the default. */
export const FACEBOOK_FAULTS: FaultRules = {
  token_revoked: { calls: [...GRAPH_CALLS, UPLOAD_CALL], reasons: DEAD_TOKEN_REASONS },
  scope_removed: { calls: [...PAGE_CALLS, UPLOAD_CALL] },
  account_restricted: { calls: PUBLISHING, reasons: RESTRICTION_REASONS },
  rate_limited: { calls: GRAPH_CALLS, reasons: RATE_LIMIT_REASONS },
  quota_exhausted: { calls: ['video_reels.finish', ...PUBLISHING.filter((call) => call !== 'video_reels.finish')] },
  processing_stuck: { calls: FINISHING },
  // Feed videos are refused by the finish itself. At the call that sends the bytes: a feed video is finished well and
  // fails later, others are refused there.
  processing_failed: { calls: [...FINISHING, 'videos.transfer', UPLOAD_CALL], reasons: PROBLEMS },
  media_fetch_blocked: { calls: ['photos.create', UPLOAD_CALL, 'videos.create', 'feed.create'] },
  duplicate: { calls: PUBLISHING },
  permalink_missing: {
    calls: ['objects.read', 'stories.list', 'published_posts.list', 'feed.list', 'video_reels.list'],
  },
  me_accounts_empty: { calls: ['me.accounts'] },
};

/** The window of call limits, before the timing factor, unless the fault's `delayMs` says otherwise. */
const RATE_LIMITED_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface FacebookFaultOptions {
  readonly grants: Grants;
  readonly timing: Timing;
}

/**
 * Facebook's answer to a call with a fault; null: the work is done, with the fault in it. A revoked token and a removed
 * scope stay: later calls meet them too, until the person consents again.
 */
export function playFault(
  { fault, reason, delayMs }: Fault<NetworkFault>,
  { grant, account }: GrantHolder,
  options: FacebookFaultOptions,
): SandboxAnswer | null {
  switch (fault) {
    case 'token_revoked':
      options.grants.revoke(grant.grantId);
      return deadToken(reason);
    case 'scope_removed':
      options.grants.removeScopes(grant.grantId, FACEBOOK_SCOPES);
      return noPermission();
    case 'account_restricted':
      return restricted(reason);
    case 'rate_limited':
      return rateLimited(
        reason,
        account.accountId,
        Math.ceil((delayMs ?? options.timing.scaled('facebook', RATE_LIMITED_MS)) / MINUTE_MS),
      );
    case 'quota_exhausted':
      return edgeLimit();
    case 'duplicate':
      return samePostAgain();
    default:
      return null;
  }
}
