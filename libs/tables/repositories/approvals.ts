import { accountIdOf } from '#domain/account.ts';
import type { Approval, Member, Permission } from '#domain/workspace/state.ts';
import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { APPROVALS } from '../declarations/tables.ts';

/** What the Workspace says of an approval when it carries out its `approval` effect. */
export interface ApprovalFacts {
  readonly approval: Approval;
  readonly member: Member;
}

/** For whom an app's token acts, and with which permissions at most. */
export interface StoredApproval {
  readonly workspaceId: string;
  readonly approvalId: string;
  readonly clientId: string;
  /** What the app calls itself. */
  readonly name: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly accountId: string;
  readonly permissions: readonly Permission[];
  /** It ended: revoked, or with its Member's place or role in the Workspace. Then the texts are empty. */
  readonly revoked: boolean;
}

/**
 * The (partition, clustering, value) of an approval's row. One that ended keeps nothing of variable length: a Member
 * may leave with a thousand of them, whose rows are written by one turn.
 */
export function approvalRow(
  workspaceId: string,
  { approval: { id: approvalId, clientId, name, permissions, revoked }, member }: ApprovalFacts,
): { partition: Key; clustering: Key; value: StoredApproval } {
  const ids = { workspaceId, approvalId, memberId: member.id, accountId: accountIdOf(member.email) };
  const value: StoredApproval = revoked
    ? { ...ids, clientId: '', name: '', memberName: '', permissions: [], revoked }
    : { ...ids, clientId, name, memberName: member.name, permissions, revoked };
  return { partition: [approvalId], clustering: [], value };
}

/** Null when there is no such approval. Rejects with `PortError`. */
export async function findApproval(store: TableStore, approvalId: string): Promise<StoredApproval | null> {
  const row = await store.read(APPROVALS, [approvalId], []);
  return row === null ? null : decodeBody<StoredApproval>(row);
}
