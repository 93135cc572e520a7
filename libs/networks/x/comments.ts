import type { FirstComment, NetworkComments, NetworkEndpoints } from '../contract/adapter.ts';
import { waitsOf, type AdapterOptions } from '../contract/waits.ts';
import type { XWork } from './calls.ts';
import { sendPost } from './publish.ts';
import { lookOnTimeline } from './reconcile.ts';
import { searchTimeline } from './search.ts';
import type { SoughtPost } from './timeline.ts';

/**
 * A first comment on X is a reply of the account to its own post, and counts as a post. As of a post, nothing names it
 * before it is made, and only the account's timeline shows whether it was.
 */
export function createXComments({ api, site }: NetworkEndpoints, options: AdapterOptions = {}): NetworkComments {
  const waits = waitsOf(options);
  const workOn = (comment: FirstComment): XWork<FirstComment> => ({ api, site, ...waits, publication: comment });
  return {
    network: 'x',
    publishTimeoutMs: waits.publishTimeoutMs,
    isUse: true,
    prepare: async () => ({ kind: 'ready', handle: null, summary: { status: 0, detail: 'nothing to prepare' } }),
    publish: (comment) =>
      sendPost(workOn(comment), { text: comment.text, reply: { in_reply_to_tweet_id: comment.itemId } }),
    reconcile: (comment, armed) => lookOnTimeline(workOn(comment), armed, replyOf(comment)),
    search: (comment, sought) => searchTimeline(workOn(comment), sought, replyOf(comment)),
  };
}

function replyOf({ text, itemId }: FirstComment): SoughtPost {
  return { text, mediaKeys: [], inReplyTo: itemId };
}
