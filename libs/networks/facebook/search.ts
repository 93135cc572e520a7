import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { searched } from '../contract/search.ts';
import { searchGraphList } from '../graph/search.ts';
import { sinceOf } from '../graph/time.ts';
import { textAt } from '../http/call.ts';
import { linkOf, pageUrl, type PageWork } from './calls.ts';
import { failureOf } from './errors.ts';
import { kindOf } from './media.ts';

/** By then what a Page published is in its lists; a video first has to be ready. */
const LISTED_AFTER_MS = 60_000;
const VIDEO_LISTED_AFTER_MS = 10 * 60_000;

/** By the Page's posts, which videos are among, or its reels. Stories say nothing, and are gone after a day. */
export async function search(work: PageWork, sought: Sought): Promise<SearchAnswer> {
  const { publication, at: place } = work;
  const { kind } = kindOf(publication);
  const isVideo = kind === 'video' || kind === 'reel';
  const listedAfterMs = (isVideo ? VIDEO_LISTED_AFTER_MS : LISTED_AFTER_MS) * place.waitFactor;
  if (kind === 'photoStory' || kind === 'videoStory' || kind === 'unfit') {
    const summary = { status: 0, detail: 'nothing tells one Story of a Page from another' };
    return searched([], { isProof: false, listedAfterMs, summary });
  }
  const [edge, text, time] =
    kind === 'reel' ? ['video_reels', 'description', 'updated_time'] : ['published_posts', 'message', 'created_time'];
  const query = { fields: `id,${text},permalink_url,${time}`, since: sinceOf(sought.since), limit: '100' };
  return searchGraphList(
    publication,
    {
      url: `${pageUrl(work, edge)}?${new URLSearchParams(query)}`,
      timeField: time,
      text: publication.text,
      textOf: (post) => textAt(post, text),
      permalinkOf: (post) => linkOf(place.site, textAt(post, 'permalink_url')),
      listedAfterMs,
      judge: failureOf,
    },
    sought,
  );
}
