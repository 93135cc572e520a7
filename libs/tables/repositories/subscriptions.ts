import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { SUBSCRIPTIONS } from '../declarations/tables.ts';

/** What a Workspace has its Plan by, or is about to. */
export interface StoredSubscription {
  /** Null: it has none yet. */
  readonly subscriptionId: string | null;
  /** Null: it has paid for no Plan yet. */
  readonly customerId: string | null;
  /** The checkout of a Plan that was handed out last, whatever became of it; left out: none is known. */
  readonly planCheckoutId?: string;
}

export interface SubscriptionRow {
  readonly subscription: StoredSubscription | null;
  /** 0: there is no row. */
  readonly version: number;
}

/** All methods reject with `PortError`. */
export interface SubscriptionRows {
  read(workspaceId: string): Promise<SubscriptionRow>;
  /** False: another write was first. Each write raises the version, also of the same value. */
  write(workspaceId: string, over: number, subscription: StoredSubscription): Promise<boolean>;
}

/**
 * No subscription is '' in a row: a release that does not know `planCheckoutId` takes that for the id of a subscription
 * that is nowhere, and would fail to ask for null. It leaves the checkout out of the rows that it writes.
 */
const NONE = '';

export function createSubscriptionRows(store: TableStore, ids: Pick<Ids, 'token'>): SubscriptionRows {
  return {
    async read(workspaceId) {
      const row = await store.read(SUBSCRIPTIONS, [workspaceId], [], { serial: true });
      const subscription = row && decodeBody<StoredSubscription>(row);
      return {
        subscription: subscription && { ...subscription, subscriptionId: subscription.subscriptionId || null },
        version: row?.version ?? 0,
      };
    },
    write: (workspaceId, over, subscription) =>
      settledWrite(
        store,
        SUBSCRIPTIONS,
        replacing([workspaceId], [], {
          over: over === 0 ? null : over,
          value: { ...subscription, subscriptionId: subscription.subscriptionId ?? NONE },
          token: ids.token(),
        }),
      ),
  };
}
