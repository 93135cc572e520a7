import type { Account } from '../accounts.ts';
import type { SandboxAnswer } from '../exchange.ts';
import type { LiveItem, Items } from '../items.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import { forbidden } from './problems.ts';

/** An account's answer to a post of its own. */
export interface Reply {
  readonly remoteId: string;
  readonly accountId: string;
  readonly text: string;
  readonly publishedAt: number;
  readonly inReplyTo: string;
  /** The post that began the conversation. */
  readonly conversationId: string;
}

export interface Replies {
  add(reply: Reply): void;
  /** The newest first; `above` is an exclusive id. */
  newest(accountId: string, above: string, limit: number): readonly Reply[];
}

export function createReplies(store: SandboxStore): Replies {
  const replies = shelf<Reply>(store, 'x.replies');
  return {
    add: (reply) => replies.put(`${reply.accountId}/${reply.remoteId}`, reply),
    newest: (accountId, above, limit) =>
      replies
        .scan({ prefix: `${accountId}/`, above: `${accountId}/${above}`, descending: true, limit })
        .map(({ value }) => value),
  };
}

const NOT_VISIBLE = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
const NOT_ENGAGED =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.';

/**
 * The item below which a reply to `postId` appears: the post itself, or the one whose reply it is. Self-serve apps may
 * reply only where the author engaged the account: here, to its own posts.
 */
export function answeredItem(
  postId: string,
  account: Account,
  items: Items,
  others: readonly Account[],
): LiveItem | SandboxAnswer {
  const id = postId.padStart(19, '0');
  const own = itemOf(id, account.accountId, items);
  if (own !== null) return own;
  return forbidden(others.some(({ accountId }) => itemOf(id, accountId, items) !== null) ? NOT_ENGAGED : NOT_VISIBLE);
}

function itemOf(id: string, accountId: string, items: Items): LiveItem | null {
  return items.get('x', accountId, id) ?? items.commentOf('x', accountId, id)?.item ?? null;
}
