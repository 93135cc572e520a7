import type { Member, WorkspaceState } from './state.ts';

type StoredMember = Omit<Member, 'role'> & Partial<Pick<Member, 'role'>>;
/** What releases added to the state since it was first stored. */
type Added = 'storage' | 'endpoints' | 'approvals' | 'invitations' | 'membershipsWritten';

/** A state as any release stored it. */
export type StoredState = Omit<WorkspaceState, Added | 'members'> &
  Partial<Pick<WorkspaceState, Added>> & { readonly members: Readonly<Record<string, StoredMember>> };

/**
 * The state with what releases before this one did not store. Of the Members of a Workspace that had no roles, the
 * first is its owner, the others edit. `membershipsWritten` counts Members, so that a Member whom an older release adds
 * in the middle of an upgrade is not left out.
 */
export function completeState(stored: StoredState): WorkspaceState {
  return {
    ...stored,
    members: membersWithRoles(stored.members),
    storage: stored.storage ?? { bytes: 0 },
    endpoints: stored.endpoints ?? {},
    approvals: stored.approvals ?? {},
    invitations: stored.invitations ?? {},
    membershipsWritten: stored.membershipsWritten ?? 0,
  };
}

function membersWithRoles(members: StoredState['members']): WorkspaceState['members'] {
  const known = Object.values(members);
  if (known.every(hasRole)) return members as WorkspaceState['members'];
  return Object.fromEntries(
    known.map((member, index) => [
      member.id,
      hasRole(member) ? member : { ...member, role: index === 0 ? 'owner' : 'editor' },
    ]),
  );
}

function hasRole(member: StoredMember): member is Member {
  return member.role !== undefined;
}
