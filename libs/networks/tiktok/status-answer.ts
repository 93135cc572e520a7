import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, neverKnown, published, unreadAnswer } from '../contract/answers.ts';
import { summaryOf, type CallResult } from '../http/call.ts';
import { askAgainMs, LOOKUP_TIMEOUT_MS, mayGiveUp } from '../contract/waits.ts';
import { tiktokFailure, type TikTokWork } from './calls.ts';
import { isUnknownPublication } from './errors.ts';
import { findInList, isTellable } from './list.ts';
import { isForEveryone } from './privacy.ts';
import type { PublicationStatus } from './status.ts';
import { isHopeless, isOverdue, lookAgainMs } from './waiting.ts';

/** A publication as it can be linked to. */
export interface Linkable {
  readonly publishId: string;
  readonly creator: string;
  readonly privacy: string;
  /** What its address calls it. */
  readonly place: 'video' | 'photo';
}

/**
 * What everyone may see gets an id when it was moderated, mostly within a minute. It is worth a wait, but no long one.
 */
const POST_ID_MS = 3 * 60_000;
/** It is one of 30 looks a minute that the account has for all that it publishes. */
const POST_ID_LOOK_MS = 20_000;

/** What became of a publication that TikTok has all of. */
export async function judgeStatus(
  work: TikTokWork,
  about: Linkable,
  { status, called }: { readonly status: PublicationStatus; readonly called: CallResult },
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  const { publishId } = about;
  const sinceMs = work.publication.now - armed.armedAt;
  const summary = summaryOf(called, `publication ${publishId} is ${status.word}`, [work.publication.accessToken]);
  if (status.failure !== null) return { kind: 'failed', failure: status.failure, handle: null, summary };
  if (status.word !== 'PUBLISH_COMPLETE') {
    return isOverdue(work, sinceMs)
      ? neverKnown(summary)
      : { kind: 'processing', delayMs: lookAgainMs(work, sinceMs), summary };
  }
  if (status.postId !== null) return published(status.postId, permalinkOf(work, about, status.postId), summary);
  if (!isForEveryone(about.privacy)) return published(publishId, null, summary);
  if (sinceMs < POST_ID_MS * work.at.waitFactor)
    return { kind: 'processing', delayMs: POST_ID_LOOK_MS * work.at.waitFactor, summary };
  const listed = await listedAs(work, armed);
  const nameless = published(publishId, null, summary);
  return listed == null ? nameless : foundAs({ id: listed.id, permalink: listed.shareUrl }, summary, nameless);
}

/** TikTok often never tells the id of what is live. The list of the account has it, where we may see that. */
async function listedAs(work: TikTokWork, { armedAt }: ArmedCall) {
  if (!isTellable(work)) return null;
  const { posts } = await findInList(work, armedAt, LOOKUP_TIMEOUT_MS);
  return posts?.length === 1 ? posts[0] : null;
}

/** null: TikTok did not say what addresses call the account. */
function permalinkOf({ at: { site } }: TikTokWork, { creator, place }: Linkable, postId: string): string | null {
  return creator === '' ? null : `${site}/@${encodeURIComponent(creator)}/${place}/${postId}`;
}

const LATE_MS = 3_600_000;
const LATE_LOOK_MS = 10 * 60_000;

/**
 * What can't be read tells nothing: ask again, with a better token where that is what is missing, until there is no
 * hope.
 */
export function unread(
  work: TikTokWork,
  called: CallResult,
  armed: ArmedCall,
): Extract<ReconcileAnswer, { kind: 'unknown' }> {
  const { publication } = work;
  const { armedAt, asked } = armed;
  const { failure, summary } = tiktokFailure(called, [publication.accessToken]);
  const sinceMs = publication.now - armedAt;
  if (called.kind === 'answered' && isUnknownPublication(called)) {
    return {
      kind: 'unknown',
      delayMs: mayGiveUp(armed, publication.now) ? null : askAgainMs(asked),
      summary,
    };
  }
  const delayMs = isHopeless(sinceMs, asked) ? null : sinceMs < LATE_MS ? askAgainMs(asked) : LATE_LOOK_MS;
  return unreadAnswer({ failure, summary }, delayMs);
}
