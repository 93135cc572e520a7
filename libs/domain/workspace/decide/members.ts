import type { AddMember, ChangeMemberRole, RemoveMember, VerifyEmail } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { done, mayApprove, refuse, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { ApiKey, Member, WorkspaceState } from '../state.ts';
import { endApprovals } from './approvals.ts';
import { stopEndpoints } from './endpoints.ts';
import { join, keptInvitations, withMember } from './join.ts';

/**
 * A Member may have a thousand keys and as many apps, each with a row: with a large Workspace they would not fit into
 * one turn beside its state.
 */
const MAX_ENDED_A_STEP = 100;

export function addMember(
  { state }: DecisionContext,
  { memberId: id, name, email, role = 'editor' }: AddMember,
): DecideResult {
  return join(state, { id, name, email, emailVerified: false, removed: false, role });
}

/**
 * Ends their keys, apps and open invitations and stops the endpoints that they registered; their Posts stay and are
 * published. From the first step on the Member counts as removed, so that keys and apps whose turn is yet to come
 * change nothing any more.
 */
export function removeMember({ state, now }: DecisionContext, command: RemoveMember): DecideResult {
  const member = state.members[command.memberId];
  if (!member) return refuse(state, 'not_found', 'There is no such Member.');
  // An operator may: they can make another owner.
  if (command.credential !== null && isLastOwner(state, member))
    return refuse(state, 'invalid_request', lastOwner(member));
  const isTheirs = ({ memberId }: { readonly memberId: string }) => memberId === member.id;
  const gone: Member = { ...member, removed: true };
  const left = member.removed ? { state, effects: [] } : withChange(withoutInvitationsOf(state, member), gone);
  const endpoints = stopEndpoints(state.endpoints, isTheirs, now);
  const stopped = endpoints === null ? left.state : { ...left.state, endpoints };
  const keys = revokeKeys(stopped, isTheirs, MAX_ENDED_A_STEP);
  const ended = endApprovals(keys.state, isTheirs, { now, limit: MAX_ENDED_A_STEP - keys.effects.length });
  const effects: readonly Effect[] = [
    ...left.effects,
    ...(endpoints === null ? [] : [{ kind: 'endpoints-changed' } as const]),
    ...keys.effects,
    ...ended.effects,
  ];
  return inSteps(command, { ...ended, effects }, ({ keys: all, approvals }) =>
    [...Object.values(all), ...Object.values(approvals)].some((each) => isTheirs(each) && !each.revoked),
  );
}

export function verifyEmail({ state }: DecisionContext, command: VerifyEmail): DecideResult {
  const member = state.members[command.memberId];
  if (!member || member.removed) return refuse(state, 'not_found', 'There is no such Member.');
  if (member.emailVerified) return done(state);
  const verified = withChange(state, { ...member, emailVerified: true });
  return done(verified.state, verified.effects);
}

/**
 * Who may not approve apps any more has none: they end, with the endpoints that they registered. Who is no owner any
 * more has no open invitations.
 */
export function changeMemberRole({ state, now }: DecisionContext, command: ChangeMemberRole): DecideResult {
  const member = state.members[command.memberId];
  if (!member || member.removed) return refuse(state, 'not_found', 'There is no such Member.');
  if (command.role !== 'owner' && isLastOwner(state, member))
    return refuse(state, 'invalid_request', lastOwner(member));
  const changed: Member = { ...member, role: command.role };
  const kept = command.role === 'owner' ? state : withoutInvitationsOf(state, member);
  const left = member.role === command.role ? { state, effects: [] } : withChange(kept, changed);
  if (mayApprove(changed)) return done(left.state, left.effects);
  const isTheirs = ({ memberId }: { readonly memberId: string }) => memberId === member.id;
  const ended = endApprovals(left.state, isTheirs, { now, limit: MAX_ENDED_A_STEP });
  return inSteps(command, { ...ended, effects: [...left.effects, ...ended.effects] }, ({ approvals }) =>
    Object.values(approvals).some((each) => isTheirs(each) && !each.revoked),
  );
}

function isLastOwner({ members }: WorkspaceState, { id }: Member): boolean {
  const owners = Object.values(members).filter(({ role, removed }) => role === 'owner' && !removed);
  return owners.length === 1 && owners[0]!.id === id;
}

function lastOwner({ name }: Member): string {
  return `${name} is the last owner of this Workspace. Make another Member an owner first.`;
}

/** An owner could come back by an invitation of another address of theirs, as an owner again. */
function withoutInvitationsOf(state: WorkspaceState, { id }: Member): WorkspaceState {
  return { ...state, invitations: keptInvitations(state, ({ invitedBy }) => invitedBy !== id) };
}

interface Change {
  readonly state: WorkspaceState;
  readonly effects: readonly Effect[];
}

function withChange(state: WorkspaceState, member: Member): Change {
  return { state: withMember(state, member), effects: [{ kind: 'memberships', memberIds: [member.id] }] };
}

/** Done, unless something `isLeft`: then the same command goes on from there. */
function inSteps(
  command: RemoveMember | ChangeMemberRole,
  { state, effects }: Change,
  isLeft: (state: WorkspaceState) => boolean,
): DecideResult {
  const step = done(state, effects);
  return isLeft(state) ? { ...step, result: null, rest: command } : step;
}

function revokeKeys(state: WorkspaceState, isMeant: (key: ApiKey) => boolean, limit: number): Change {
  const revoked = Object.values(state.keys)
    .filter((key) => !key.revoked && isMeant(key))
    .slice(0, limit)
    .map((key): ApiKey => ({ ...key, revoked: true }));
  if (revoked.length === 0) return { state, effects: [] };
  const keys = { ...state.keys, ...Object.fromEntries(revoked.map((key) => [key.id, key])) };
  const effects: Effect[] = revoked.map((key) => {
    const { name, removed } = state.members[key.memberId]!;
    return { kind: 'credential', key, memberName: name, memberRemoved: removed };
  });
  return { state: { ...state, keys }, effects };
}
