import type { Network, Placement } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

export interface ItemMedia {
  readonly sha256: string;
  readonly bytes: number;
  readonly contentType: string;
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
  /** By remote id, which is by age. */
  ofAccount(network: Network, accountId: string, range?: ItemRange): readonly LiveItem[];
  /** Oldest first; all Networks or accounts when left out. */
  all(filter: { readonly network?: Network; readonly accountId?: string }): readonly LiveItem[];
}

export function createItems(store: SandboxStore): Items {
  const items = shelf<LiveItem>(store, 'items');
  return {
    add: (item) => items.put(`${item.network}/${item.accountId}/${item.remoteId}`, item),
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
