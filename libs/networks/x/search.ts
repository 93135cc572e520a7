import type { AccountAccess } from '../contract/adapter.ts';
import { askingOf } from '../contract/waits.ts';
import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { searched } from '../contract/search.ts';
import { summaryOf } from '../http/call.ts';
import { permalinkOf, type XWork } from './calls.ts';
import { parseHandle } from './handle.ts';
import { unreadable } from './reconcile.ts';
import { findAllOnTimeline, MAX_LISTED, type SoughtPost } from './timeline.ts';

/** By then a post is on the account's timeline. */
const LISTED_AFTER_MS = 180_000;

/** By the account's timeline, read back to when the post may have been made first. */
export function search(work: XWork, sought: Sought): Promise<SearchAnswer> {
  const { text, media } = work.publication;
  const known = parseHandle(sought.handle)?.files ?? [];
  // The other installation may have uploaded the files once more.
  const mediaKeys = media.map((_, index) => known[index]?.key ?? null);
  return searchTimeline(work, sought, { text, mediaKeys, inReplyTo: null });
}

export async function searchTimeline(
  work: XWork<AccountAccess>,
  sought: Sought,
  post: SoughtPost,
): Promise<SearchAnswer> {
  const { publication } = work;
  const { since } = sought;
  const listedAfterMs = LISTED_AFTER_MS * work.waitFactor;
  const found = await findAllOnTimeline(work, post, since);
  if (found.kind === 'unreadable') {
    const answer = unreadable(found.last, publication, { handle: null, ...askingOf(sought) });
    return answer.kind === 'unknown' ? answer : { kind: 'unknown', delayMs: null, summary: answer.summary };
  }
  const isRead = found.kind === 'read';
  const detail = !isRead
    ? `X lists the newest ${MAX_LISTED} posts only, and all of them are newer than this one`
    : found.mayBe > 0
      ? 'without words nothing tells it from other posts'
      : 'not on the timeline';
  return searched(
    found.items.map(({ id, publishedAt }) => ({ remoteId: id, permalink: permalinkOf(work, id), publishedAt })),
    { isProof: isRead && found.mayBe === 0, listedAfterMs, summary: summaryOf(found.last, detail) },
  );
}
