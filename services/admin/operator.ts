import type { Asked, AskedCommand } from '#domain/workspace/commands.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { readHead } from '#tables/workspaces.ts';
import type { AdminParts } from './parts.ts';
import { refused } from './procedure.ts';

type WithoutEnvelope<C> = C extends unknown ? Omit<C, keyof Asked> : never;

/** A command without what the operator's envelope adds. */
export type Order = WithoutEnvelope<AskedCommand>;

/** An order is not carried out later than this after it was given. */
const ORDER_LIFE_MS = 60_000;

export interface Operator {
  /** Puts the order to the Workspace. Throws its refusal; rejects with `PortError` when it certainly did not arrive. */
  order(workspaceId: string, order: Order): Promise<void>;
  /** The Workspace as its last turn left it. Throws `not_found`; rejects with `PortError`. */
  workspace(workspaceId: string): Promise<WorkspaceState>;
}

export function createOperator({ ask, store, clock, ids, replyTo }: Pick<AdminParts, 'ask' | 'store' | 'clock' | 'ids' | 'replyTo'>): Operator {
  return {
    order: async (workspaceId, order) => {
      const issuedAt = clock.now();
      const envelope: Asked = { workspaceId, requestId: ids.uuid7(issuedAt), issuedAt, notAfter: issuedAt + ORDER_LIFE_MS, replyTo, credential: null };
      const { result } = await ask({ ...order, ...envelope });
      if (!result.ok) throw refused(result);
    },
    workspace: async (workspaceId) => {
      const head = await readHead(store, workspaceId);
      if (head === null) throw refused({ code: 'not_found', message: 'There is no such Workspace.' });
      return head.state;
    },
  };
}
