import type { Network } from '#domain/network.ts';
import type { TableStore } from '#ports/table-store.ts';
import { LIVE_ITEMS } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { listPosts } from './post-list.ts';

/** An item that is live at a Network. */
export interface ItemKey {
  readonly network: Network;
  readonly accountId: string;
  readonly remoteId: string;
}

/** Which Variant, or first comment, an item belongs to, by the id that the ledger has of it. */
export interface LiveItems {
  /** Null: none has claimed it. */
  ownerOf(item: ItemKey): Promise<string | null>;
  /** False: it belongs to another. A claim of unknown end is settled by a serial read. Repeatable. */
  claim(item: ItemKey, ledgerId: string, token: string): Promise<boolean>;
  /** Whether a Post of the Workspace that was due around that instant names the item, in another Variant. */
  isNamed(
    item: ItemKey,
    by: { readonly workspaceId: string; readonly at: number; readonly but: string },
  ): Promise<boolean>;
}

const PAGE = 100;
const MAX_PAGES = 20;
/** What was due so long before may have been published then: the missed window, and time for asking. */
const DUE_BEFORE_MS = 3 * 3_600_000;
const DUE_AFTER_MS = 60_000;

/** All methods reject with `PortError`. */
export function createLiveItems(store: TableStore): LiveItems {
  const ownerOf = async (item: ItemKey): Promise<string | null> => {
    const row = await store.read(LIVE_ITEMS, keyOf(item), [], { serial: true });
    return row === null ? null : (decodeBody<{ readonly ledgerId: string }>(row)?.ledgerId ?? null);
  };
  return {
    ownerOf,
    claim: async (item, ledgerId, token) => {
      const write = replacing(keyOf(item), [], { over: null, value: { ledgerId }, token });
      return (await settledWrite(store, LIVE_ITEMS, write)) || (await ownerOf(item)) === ledgerId;
    },
    isNamed: async ({ remoteId }, { workspaceId, at, but }) => {
      const range = { from: at - DUE_BEFORE_MS, to: at + DUE_AFTER_MS, limit: PAGE };
      for (let before: string | null = null, pages = 0; pages < MAX_PAGES; pages++) {
        const { posts, more }: Awaited<ReturnType<typeof listPosts>> = await listPosts(store, workspaceId, {
          ...range,
          before,
        });
        const isOthers = posts.some(({ variants }) =>
          variants.some((variant) => variant.remoteId === remoteId && variant.id !== but),
        );
        if (isOthers) return true;
        if (!more) return false;
        before = posts.at(-1)!.id;
      }
      return false;
    },
  };
}

const keyOf = ({ network, accountId, remoteId }: ItemKey) => [network, accountId, remoteId];
