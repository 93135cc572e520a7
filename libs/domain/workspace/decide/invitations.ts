import { addressOf } from '../../account.ts';
import type { AcceptInvitation, InviteMember, RevokeInvitation } from '../commands.ts';
import { done, refuse, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { Invitation } from '../state.ts';
import { join, keptInvitations, memberWith } from './join.ts';

/** Keeps the Workspace's one row small: it is read and written whole. */
const MAX_INVITATIONS = 200;
const NOT_OPEN = 'This invitation is not open any more. Ask for another one.';

/**
 * The Plan's limit is judged when somebody accepts: an invitation takes no Member's place. Who invites the same address
 * again without a name means the person that the open invitation names.
 */
export function inviteMember({ state }: DecisionContext, command: InviteMember): DecideResult {
  const known = state.invitations[command.invitationId];
  if (known !== undefined) {
    return addressOf(known) === addressOf(command)
      ? done(state)
      : refuse(state, 'invalid_request', 'There is an invitation with this id already.');
  }
  if (memberWith(state, command))
    return refuse(state, 'invalid_request', `${command.email} is a Member of this Workspace already.`);
  const isOpen = ({ expiresAt }: Invitation): boolean => expiresAt > command.issuedAt;
  const isReplaced = (each: Invitation): boolean => addressOf(each) === addressOf(command);
  const others = keptInvitations(state, (each) => isOpen(each) && !isReplaced(each));
  const replaced = Object.values(state.invitations).find((each) => isOpen(each) && isReplaced(each));
  if (Object.keys(others).length >= MAX_INVITATIONS) {
    return refuse(
      state,
      'limit_reached',
      `A Workspace has ${MAX_INVITATIONS} open invitations at most. Revoke some, or wait until they are accepted.`,
    );
  }
  const invitation: Invitation = {
    id: command.invitationId,
    email: command.email,
    name: command.name ?? replaced?.name ?? null,
    role: command.role,
    invitedBy: command.invitedBy,
    createdAt: command.issuedAt,
    expiresAt: command.expiresAt,
  };
  return done({ ...state, invitations: { ...others, [invitation.id]: invitation } });
}

/** Revoking it again, or one that was accepted, is done: it is not open. */
export function revokeInvitation({ state }: DecisionContext, command: RevokeInvitation): DecideResult {
  if (!state.invitations[command.invitationId]) return done(state);
  return done({ ...state, invitations: keptInvitations(state, ({ id }) => id !== command.invitationId) });
}

/** Accepting again, with the same `memberId`, is done as long as the Member is present. */
export function acceptInvitation({ state }: DecisionContext, command: AcceptInvitation): DecideResult {
  const invitation = state.invitations[command.invitationId];
  if (invitation === undefined) {
    const accepted = memberWith(state, command)?.id === command.memberId;
    return accepted ? done(state) : refuse(state, 'not_found', NOT_OPEN);
  }
  if (addressOf(invitation) !== addressOf(command))
    return refuse(state, 'forbidden', `This invitation is for ${invitation.email}. Sign in with that address.`);
  if (command.issuedAt >= invitation.expiresAt)
    return refuse(state, 'not_found', 'This invitation has expired. Ask for another one.');
  return join(state, {
    id: command.memberId,
    name: invitation.name ?? command.name,
    email: addressOf(command),
    emailVerified: true,
    removed: false,
    role: invitation.role,
  });
}
