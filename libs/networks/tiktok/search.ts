import type { FoundItem, SearchAnswer, Sought } from '../contract/adapter.ts';
import { comparable } from '../contract/comparable-text.ts';
import { searched } from '../contract/search.ts';
import { neverKnown } from '../contract/answers.ts';
import { askingOf, askAgainMs, mayGiveUp, NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, summaryOf, textAt } from '../http/call.ts';
import { dataOf, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';
import { isTellable, LISTED_FIELDS, MAX_LISTED } from './list.ts';
import { unread } from './status-answer.ts';

/** By then a public video is in the account's list. TikTok moderates videos before, as it says within a few hours. */
const LISTED_AFTER_MS = 6 * 3_600_000;
const MAX_PAGES = 32;

/**
 * By the account's list, which has public videos alone, and which the account need not have let us see. Of photos, and
 * of what only some people may see, it proves presence, never absence.
 */
export async function search(work: TikTokWork, sought: Sought): Promise<SearchAnswer> {
  const { publication, at: place } = work;
  const { since, asked } = sought;
  const secrets = [publication.accessToken];
  const listedAfterMs = LISTED_AFTER_MS * place.waitFactor;
  if (!isTellable(work)) {
    const summary = { status: 0, detail: 'without a text nothing tells it from other posts' };
    return searched([], { isProof: false, listedAfterMs, summary });
  }
  const items: FoundItem[] = [];
  let cursor: unknown = null;
  for (let page = 1; ; page++) {
    const fields = { max_count: MAX_LISTED, ...(cursor === null ? {} : { cursor }) };
    const called = await tiktokPost(work, `/v2/video/list/?fields=${LISTED_FIELDS}`, fields);
    const data = dataOf(called);
    if (data === null) {
      const isClosed = called.kind === 'answered' && tiktokFailure(called, []).failure.retry === 'afterReconnect';
      if (isClosed) return neverKnown(summaryOf(called, 'the account does not let its list be seen', secrets));
      const answer = unread(work, called, { handle: null, ...askingOf(sought) });
      const delayMs = mayGiveUp(askingOf(sought), publication.now) ? null : askAgainMs(asked);
      return answer.kind === 'unknown' ? answer : { kind: 'unknown', delayMs, summary: answer.summary };
    }
    const posts = listAt(data, 'videos');
    items.push(...posts.flatMap((post) => foundIn(post, work, since)));
    cursor = at(data, 'has_more') === true ? at(data, 'cursor') : null;
    const isOver = cursor === null || posts.some((post) => (madeAt(post) ?? Infinity) < since - NETWORK_CLOCK_SKEW_MS);
    if (!isOver && page < MAX_PAGES) continue;
    const isListed = publication.media.some(({ kind }) => kind === 'video') && publication.options.privacy === 'public';
    const detail = isOver && isListed ? 'not in the list of the account' : 'the list of the account may not show it';
    return searched(items, { isProof: isOver && isListed, listedAfterMs, summary: summaryOf(called, detail, secrets) });
  }
}

function foundIn(post: unknown, { publication }: TikTokWork, since: number): readonly FoundItem[] {
  const [remoteId, publishedAt] = [textAt(post, 'id'), madeAt(post)];
  if (remoteId === null || publishedAt === null || publishedAt < since - NETWORK_CLOCK_SKEW_MS) return [];
  if (comparable(textAt(post, 'video_description') ?? '') !== comparable(publication.text)) return [];
  return [{ remoteId, permalink: textAt(post, 'share_url'), publishedAt }];
}

/** TikTok counts in seconds. */
function madeAt(post: unknown): number | null {
  const seconds = at(post, 'create_time');
  return typeof seconds === 'number' ? seconds * 1000 : null;
}
