import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { searchGraphList } from '../graph/search.ts';
import { textAt } from '../http/call.ts';
import type { ThreadsWork } from './calls.ts';
import { failureOf } from './errors.ts';

/** By then a published post is in the account's list, and a reply among those of its post. */
const LISTED_AFTER_MS = 60_000;
const FIELDS = 'id,text,timestamp,permalink,username';

/** By the account's posts, or by the replies to the post that it answers. */
export function search({ at: place, publication, replyTo }: ThreadsWork, sought: Sought): Promise<SearchAnswer> {
  const query =
    replyTo === undefined
      ? { fields: FIELDS, since: String(Math.floor((sought.since - NETWORK_CLOCK_SKEW_MS) / 1000)), limit: '100' }
      : { fields: FIELDS };
  const list = replyTo === undefined ? 'me/threads' : `${encodeURIComponent(replyTo)}/replies`;
  return searchGraphList(
    publication,
    {
      url: `${place.api}/v1.0/${list}?${new URLSearchParams(query)}`,
      timeField: 'timestamp',
      text: publication.text,
      textOf: (post) => textAt(post, 'text'),
      // Anybody may have replied.
      isOwn: (post) => replyTo === undefined || textAt(post, 'username') === publication.username,
      permalinkOf: (post) => textAt(post, 'permalink'),
      listedAfterMs: LISTED_AFTER_MS * place.waitFactor,
      judge: (answer) => failureOf(answer, 'container'),
    },
    sought,
  );
}
