import { accountIdOf, addressOf } from '#domain/account.ts';
import type { Member, MemberRole, WorkspaceState } from '#domain/workspace/state.ts';
import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { MEMBERSHIPS } from '../declarations/tables.ts';

/** An account as a Member of one Workspace. */
export interface Membership {
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** IANA name of the Workspace's zone; null: it has none. */
  readonly workspaceZone: string | null;
  readonly memberId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly emailVerified: boolean;
  readonly removed: boolean;
}

/**
 * The (partition, clustering, value) of the rows for the accounts behind Members: of several Members with one address
 * the one that is present, else the one that was added last.
 */
export function membershipRows(
  {
    id: workspaceId,
    name: workspaceName,
    members,
    ...workspace
  }: Pick<WorkspaceState, 'id' | 'name' | 'members' | 'timeZone'>,
  memberIds: readonly string[],
): readonly { partition: Key; clustering: Key; value: Membership }[] {
  const accounts = new Map<string, Member>();
  for (const member of Object.values(members)) {
    const account = addressOf(member);
    if (accounts.get(account)?.removed !== false) accounts.set(account, member);
  }
  const addresses = new Set(memberIds.flatMap((id) => (members[id] === undefined ? [] : [addressOf(members[id])])));
  return [...addresses].map((address) => {
    const { id: memberId, ...member } = accounts.get(address)!;
    return {
      partition: [accountIdOf(address)],
      clustering: [workspaceId],
      value: { workspaceId, workspaceName, workspaceZone: workspace.timeZone ?? null, memberId, ...member },
    };
  });
}

/** More Workspaces than this one account is not shown. */
const MAX_MEMBERSHIPS = 1_000;

/** Every Workspace that the account is or was a Member of, by id, at most 1,000. Rejects with `PortError`. */
export async function listMemberships(store: TableStore, accountId: string): Promise<readonly Membership[]> {
  const rows = await store.slice(MEMBERSHIPS, [accountId], { limit: MAX_MEMBERSHIPS });
  return rows.flatMap((row) => {
    const stored = decodeBody<Omit<Membership, 'workspaceZone'> & Partial<Membership>>(row);
    // Rows of releases in which Workspaces had no zone.
    return stored === null ? [] : [{ ...stored, workspaceZone: stored.workspaceZone ?? null }];
  });
}
