import { addressOf } from '../../account.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import { done, refuse, unchanged, type DecideResult } from '../decision-context.ts';
import type { Invitation, Member, WorkspaceState } from '../state.ts';
import { planRefusal } from './post-limits.ts';

export function withMember(state: WorkspaceState, member: Member): WorkspaceState {
  return { ...state, members: { ...state.members, [member.id]: member } };
}

/** The present Member with this address, in whatever way it is written. */
export function memberWith({ members }: WorkspaceState, account: { readonly email: string }): Member | undefined {
  const address = addressOf(account);
  return Object.values(members).find((member) => !member.removed && addressOf(member) === address);
}

/** Adds a Member where the Plan has room. Whoever joins needs an invitation no more. */
export function join(state: WorkspaceState, member: Member): DecideResult {
  if (state.members[member.id]) return refuse(state, 'invalid_request', 'There is a Member with this id already.');
  if (memberWith(state, member))
    return refuse(state, 'invalid_request', `${member.email} is a Member of this Workspace already.`);
  const count = Object.values(state.members).filter(({ removed }) => !removed).length + 1;
  if (!allows(state.plan, 'members', count)) {
    return unchanged(
      state,
      planRefusal(state, 'members', count, `${planAllows(state.plan, 'members')}, and they are taken.`),
    );
  }
  const address = addressOf(member);
  const invitations = keptInvitations(state, (each) => addressOf(each) !== address);
  return done(withMember({ ...state, invitations }, member));
}

export function keptInvitations(
  { invitations }: WorkspaceState,
  isKept: (invitation: Invitation) => boolean,
): WorkspaceState['invitations'] {
  return Object.fromEntries(Object.entries(invitations).filter(([, invitation]) => isKept(invitation)));
}
