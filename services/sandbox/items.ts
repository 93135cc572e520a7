import type { Network, Placement } from '#domain/network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import { shelf, type SandboxStore } from './store/store.ts';

export interface ItemMedia {
  readonly sha256: string;
  readonly bytes: number;
  readonly contentType: string;
}

/** The options that the calls had in them, in our names. */
export type ItemOptions = Omit<NetworkOptions, 'userTags'> & {
  readonly userTags?: readonly { readonly username: string; readonly x?: number; readonly y?: number }[];
  /** The picture that stands for a video: a file, or an instant of the video itself. */
  readonly cover?: { readonly sha256: string } | { readonly atSeconds: number };
};

/** A comment or a reply of the account on its own item. */
export interface ItemComment {
  readonly remoteId: string;
  readonly text: string;
  readonly publishedAt: number;
  /** Below the sandbox's own address. */
  readonly path: string;
}

/** A live item, with everything that the public would see: the truth for every test. */
export interface LiveItem {
  readonly network: Network;
  readonly accountId: string;
  readonly remoteId: string;
  readonly placement: Placement;
  /** The text as it was sent. */
  readonly text: string;
  readonly media: readonly ItemMedia[];
  readonly title?: string;
  readonly altTexts: readonly (string | null)[];
  readonly publishedAt: number;
  /** Below the sandbox's own address, which may change from start to start. */
  readonly path: string;
  /** Left out: none. */
  readonly options?: ItemOptions;
  /** The card of an address. Null or left out: there is none. */
  readonly link?: { readonly url: string } | null;
  /** Oldest first. Left out: none. */
  readonly comments?: readonly ItemComment[];
}

/** A comment, and the item that it is on. */
export interface CommentedItem {
  readonly item: LiveItem;
  readonly comment: ItemComment;
}

export interface ItemRange {
  /** Exclusive remote ids. */
  readonly above?: string;
  readonly below?: string;
  readonly descending?: boolean;
  readonly limit?: number;
}

export interface Items {
  add(item: LiveItem): void;
  get(network: Network, accountId: string, remoteId: string): LiveItem | null;
  /** Changes an item that is live; it keeps its place. */
  change(item: LiveItem, to: Partial<Pick<LiveItem, 'options' | 'link'>>): void;
  /** The item is live; its comment may have any id that is unique in its Network. */
  comment(item: LiveItem, comment: ItemComment): void;
  /** The comment of this account that has this id. */
  commentOf(network: Network, accountId: string, commentId: string): CommentedItem | null;
  /** By remote id, which is by age. */
  ofAccount(network: Network, accountId: string, range?: ItemRange): readonly LiveItem[];
  /** Oldest first; all Networks or accounts when left out. */
  all(filter: { readonly network?: Network; readonly accountId?: string }): readonly LiveItem[];
}

export function createItems(store: SandboxStore): Items {
  const items = shelf<LiveItem>(store, 'items');
  const itemsOfComments = shelf<{ readonly remoteId: string }>(store, 'items-of-comments');
  const keyOf = ({ network, accountId, remoteId }: LiveItem) => `${network}/${accountId}/${remoteId}`;
  return {
    add: (item) => items.put(keyOf(item), item),
    change: (item, to) => items.put(keyOf(item), { ...(items.get(keyOf(item)) ?? item), ...to }),
    comment(item, comment) {
      const { network, accountId, remoteId } = item;
      const now = items.get(keyOf(item)) ?? item;
      items.put(keyOf(item), { ...now, comments: [...(now.comments ?? []), comment] });
      itemsOfComments.put(`${network}/${accountId}/${comment.remoteId}`, { remoteId });
    },
    commentOf(network, accountId, commentId) {
      const found = itemsOfComments.get(`${network}/${accountId}/${commentId}`);
      const item = found === null ? null : items.get(`${network}/${accountId}/${found.remoteId}`);
      const comment = item?.comments?.find(({ remoteId }) => remoteId === commentId);
      return item === null || comment === undefined ? null : { item, comment };
    },
    get: (network, accountId, remoteId) => items.get(`${network}/${accountId}/${remoteId}`),
    ofAccount(network, accountId, range = {}) {
      const prefix = `${network}/${accountId}/`;
      const bounds = {
        ...(range.above === undefined ? {} : { above: prefix + range.above }),
        ...(range.below === undefined ? {} : { below: prefix + range.below }),
        ...(range.limit === undefined ? {} : { limit: range.limit }),
      };
      return items.scan({ prefix, ...bounds, descending: range.descending ?? false }).map(({ value }) => value);
    },
    all({ network, accountId }) {
      const prefix = network === undefined ? '' : accountId === undefined ? `${network}/` : `${network}/${accountId}/`;
      const found = items.scan({ prefix }).map(({ value }) => value);
      const wanted = accountId === undefined ? found : found.filter((item) => item.accountId === accountId);
      return wanted.sort(
        (one, other) => one.publishedAt - other.publishedAt || (one.remoteId < other.remoteId ? -1 : 1),
      );
    },
  };
}
