import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { searched } from '../contract/search.ts';
import { searchGraphList } from '../graph/search.ts';
import { textAt } from '../http/call.ts';
import { accountUrl, type AccountWork } from './calls.ts';
import { failureOf } from './errors.ts';

/** By then a published post is in the account's list. */
const LISTED_AFTER_MS = 60_000;
const FIELDS = 'id,caption,timestamp,permalink,media_product_type';

/** By the account's posts. Stories say nothing, and are gone after a day. */
export async function search(work: AccountWork, sought: Sought): Promise<SearchAnswer> {
  const { publication, at: place } = work;
  const listedAfterMs = LISTED_AFTER_MS * place.waitFactor;
  if (publication.placement === 'story') {
    const summary = { status: 0, detail: 'nothing tells one Story of an account from another' };
    return searched([], { isProof: false, listedAfterMs, summary });
  }
  return searchGraphList(
    publication,
    {
      url: `${accountUrl(work, 'media')}?${new URLSearchParams({ fields: FIELDS, limit: '100' })}`,
      timeField: 'timestamp',
      text: publication.text,
      textOf: (media) => textAt(media, 'caption'),
      isOwn: (media) => textAt(media, 'media_product_type') !== 'STORY',
      permalinkOf: (media) => textAt(media, 'permalink'),
      listedAfterMs,
      judge: (answer) => failureOf(answer, 'read'),
    },
    sought,
  );
}
