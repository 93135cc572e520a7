import type { Answer } from '../exchange.ts';
import type { Fault, FaultRules, NetworkFault } from '../faults.ts';
import type { Grants, Holder } from '../grants.ts';
import type { Timing } from '../timing.ts';
import { PAGE_CALLS, PUBLISHING } from './calls.ts';
import { edgeLimit, noPermission, rateLimited, restricted, RESTRICTION_REASONS, revokedToken, samePostAgain } from './graph-errors.ts';
import { FACEBOOK_SCOPES } from './oauth.ts';

const FINISHING = ['video_reels.finish', 'video_stories.finish', 'videos.finish'];

/** The first call of each is meant when none is named. */
export const FACEBOOK_FAULTS: FaultRules = {
  token_revoked: { calls: PAGE_CALLS },
  scope_removed: { calls: PAGE_CALLS },
  account_restricted: { calls: PUBLISHING, reasons: RESTRICTION_REASONS },
  rate_limited: { calls: PAGE_CALLS },
  quota_exhausted: { calls: ['video_reels.finish', ...PUBLISHING.filter((call) => call !== 'video_reels.finish')] },
  processing_stuck: { calls: FINISHING },
  // Feed videos are refused by the finish itself.
  processing_failed: { calls: FINISHING, reasons: ['1363024', '1363025', '1363026', '1363032', '352'] },
  media_fetch_blocked: { calls: ['photos.create', 'video.upload', 'videos.create'] },
  duplicate: { calls: PUBLISHING },
  permalink_missing: { calls: ['objects.read', 'stories.list', 'published_posts.list', 'feed.list', 'video_reels.list'] },
  me_accounts_empty: { calls: ['me.accounts'] },
};

/** The window of call limits, before the timing factor, unless the fault's `delayMs` says otherwise. */
const RATE_LIMITED_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface FacebookFaultDeps {
  readonly grants: Grants;
  readonly timing: Timing;
}

/**
 * What a fault makes Facebook answer; null: the work is done, with the fault in it. A revoked token and a removed scope
 * stay so: later calls meet them too, until the person consents again.
 */
export function playFault(fault: Fault<NetworkFault>, { grant, account }: Holder, deps: FacebookFaultDeps): Answer | null {
  switch (fault.fault) {
    case 'token_revoked':
      deps.grants.revoke(grant.grantId);
      return revokedToken();
    case 'scope_removed':
      deps.grants.removeScopes(grant.grantId, FACEBOOK_SCOPES);
      return noPermission();
    case 'account_restricted':
      return restricted(fault.reason ?? '');
    case 'rate_limited':
      return rateLimited(account.accountId, Math.ceil((fault.delayMs ?? deps.timing.scaled('facebook', RATE_LIMITED_MS)) / MINUTE_MS));
    case 'quota_exhausted':
      return edgeLimit();
    case 'duplicate':
      return samePostAgain();
    default:
      return null;
  }
}
