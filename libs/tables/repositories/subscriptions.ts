import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { SUBSCRIPTIONS } from '../declarations/tables.ts';

/** What a Workspace has its Plan by. */
export interface StoredSubscription {
  readonly subscriptionId: string;
  readonly customerId: string;
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

export function createSubscriptionRows(store: TableStore, ids: Pick<Ids, 'token'>): SubscriptionRows {
  return {
    async read(workspaceId) {
      const row = await store.read(SUBSCRIPTIONS, [workspaceId], [], { serial: true });
      return { subscription: row && decodeBody<StoredSubscription>(row), version: row?.version ?? 0 };
    },
    write: (workspaceId, over, subscription) =>
      settledWrite(
        store,
        SUBSCRIPTIONS,
        replacing([workspaceId], [], { over: over === 0 ? null : over, value: subscription, token: ids.token() }),
      ),
  };
}
