import type { FoundItem, SearchAnswer, Sought } from '../contract/adapter.ts';
import { searched } from '../contract/search.ts';
import { neverKnown, unreadAnswer } from '../contract/answers.ts';
import { summaryOf, textAt } from '../http/call.ts';
import { watchAddress, youtubeFailure, youtubeGet, type YouTubeWork } from './calls.ts';
import { isOurs, itemsIn, UPLOADS, wasMadeSince } from './uploads-list.ts';
import { retryMs } from './waiting.ts';

/** By then an upload is in the channel's list. */
const LISTED_AFTER_MS = 5 * 60_000;
const PAGE = '50';
const MAX_PAGES = 32;

/** By the channel's list of uploads, which has those that only the owner sees too. */
export async function search(work: YouTubeWork, { since, asked }: Sought): Promise<SearchAnswer> {
  const { publication, at: place } = work;
  const secrets = [publication.accessToken];
  const playlistId = publication.accountFacts[UPLOADS];
  if (playlistId === undefined) return neverKnown({ status: 0, detail: 'the list of uploads is not known' });
  const items: FoundItem[] = [];
  let next: string | null = null;
  for (let page = 1; ; page++) {
    const called = await youtubeGet(work, '/playlistItems', {
      ...{ part: 'snippet,contentDetails', playlistId, maxResults: PAGE },
      ...(next === null ? {} : { pageToken: next }),
    });
    const entries = itemsIn(called);
    if (entries === null) {
      const delayMs = retryMs(publication.now - since, asked);
      return unreadAnswer(youtubeFailure(called, publication.now, secrets), delayMs);
    }
    for (const entry of entries) {
      const remoteId = textAt(entry, 'contentDetails', 'videoId') ?? textAt(entry, 'snippet', 'resourceId', 'videoId');
      if (remoteId === null || !isOurs(work, entry) || !wasMadeSince(entry, since)) continue;
      const publishedAt = Date.parse(textAt(entry, 'snippet', 'publishedAt') ?? '');
      items.push({ remoteId, permalink: watchAddress(place, remoteId), publishedAt });
    }
    next = called.kind === 'answered' ? textAt(called.json, 'nextPageToken') : null;
    const isOver = next === null || entries.some((entry) => !wasMadeSince(entry, since));
    if (!isOver && page < MAX_PAGES) continue;
    const detail = isOver ? 'not in the list of uploads' : 'the list of uploads does not reach back so far';
    const listedAfterMs = LISTED_AFTER_MS * place.waitFactor;
    return searched(items, { isProof: isOver, listedAfterMs, summary: summaryOf(called, detail, secrets) });
  }
}
