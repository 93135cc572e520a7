import { accountIdOf } from '../account.ts';
import type { WorkspaceState } from './state.ts';

/**
 * The account that a Workspace counts as a part of: that of the owner who has been one for longest. Only an address
 * that was checked counts, so that nobody's Workspace is put on the account of somebody else. Null: there is none.
 */
export function ownerAccountOf({ members }: Pick<WorkspaceState, 'members'>): string | null {
  const owner = Object.values(members).find(
    ({ role, removed, emailVerified }) => role === 'owner' && !removed && emailVerified,
  );
  return owner === undefined ? null : accountIdOf(owner.email);
}
