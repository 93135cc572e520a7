import type { Account } from '../accounts.ts';
import type { Items, LiveItem } from '../items.ts';
import type { Container, Containers } from './containers.ts';

/** A reply as a medium of its own: it is shown with the fields of a post. */
export interface Reply {
  readonly item: LiveItem;
  /** The post that the replies are on. */
  readonly rootId: string;
  /** That post, or a reply on it. */
  readonly repliedTo: string;
}

export interface ReplyOptions {
  readonly items: Items;
  readonly containers: Containers;
}

/** The account's own post that a reply to `id` is on; null: there is none. */
export const rootOf = (id: string, accountId: string, items: Items): LiveItem | null =>
  items.get('threads', accountId, id) ?? items.commentOf('threads', accountId, id)?.item ?? null;

/** The files that a published container shows. */
export function shownFiles(container: Container, containers: Containers): Pick<LiveItem, 'media' | 'altTexts'> {
  const shown =
    container.kind === 'TEXT'
      ? []
      : container.kind === 'CAROUSEL'
        ? container.children.map((id) => containers.get(id)!)
        : [container];
  return {
    media: shown.map(({ file }) => ({ sha256: file!.sha256, bytes: file!.bytes, contentType: file!.contentType })),
    altTexts: shown.map(({ altText }) => altText),
  };
}

/** The account's reply of that id; null: there is none. */
export function replyOf(id: string, { accountId }: Account, { items, containers }: ReplyOptions): Reply | null {
  const found = items.commentOf('threads', accountId, id);
  const container = containers.ofMedia(id);
  if (found === null || container?.replyTo === undefined) return null;
  const { remoteId, text, publishedAt, path } = found.comment;
  const about = { network: 'threads', accountId, placement: 'feed' } as const;
  return {
    item: { ...about, ...shownFiles(container, containers), remoteId, text, publishedAt, path },
    rootId: found.item.remoteId,
    repliedTo: container.replyTo,
  };
}

/** The replies on these posts, newest first. */
export function repliesOn(posts: readonly LiveItem[], account: Account, options: ReplyOptions): readonly Reply[] {
  return posts
    .flatMap(({ comments = [] }) => comments.map(({ remoteId }) => replyOf(remoteId, account, options)))
    .filter((reply) => reply !== null)
    .sort((one, other) => (one.item.remoteId < other.item.remoteId ? 1 : -1));
}
