import { allows, planAllows } from '../../plan/upgrade.ts';
import type { AddMember, RemoveMember, VerifyEmail } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { done, refuse, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { ApiKey, Member, WorkspaceState } from '../state.ts';
import { stopEndpoints } from './endpoints.ts';
import { planRefusal } from './post-limits.ts';

function withMember(state: WorkspaceState, member: Member): WorkspaceState {
  return { ...state, members: { ...state.members, [member.id]: member } };
}

export function addMember({ state }: DecisionContext, command: AddMember): DecideResult {
  if (state.members[command.memberId])
    return refuse(state, 'invalid_request', 'There is a Member with this id already.');
  const present = Object.values(state.members).filter((member) => !member.removed);
  const email = command.email.toLowerCase();
  if (present.some((member) => member.email.toLowerCase() === email)) {
    return refuse(state, 'invalid_request', `${command.email} is a Member of this Workspace already.`);
  }
  if (!allows(state.plan, 'members', present.length + 1)) {
    return unchanged(
      state,
      planRefusal(state, 'members', present.length + 1, `${planAllows(state.plan, 'members')}, and they are taken.`),
    );
  }
  return done(
    withMember(state, {
      id: command.memberId,
      name: command.name,
      email: command.email,
      emailVerified: false,
      removed: false,
    }),
  );
}

/** Revokes their keys and stops their endpoints; their Posts stay and are published. */
export function removeMember({ state, now }: DecisionContext, command: RemoveMember): DecideResult {
  const member = state.members[command.memberId];
  if (!member) return refuse(state, 'not_found', 'There is no such Member.');
  if (member.removed) return done(state);
  const keys: Record<string, ApiKey> = { ...state.keys };
  const effects: Effect[] = [];
  for (const key of Object.values(state.keys)) {
    if (key.memberId !== member.id) continue;
    const revoked = { ...key, revoked: true };
    keys[key.id] = revoked;
    effects.push({ kind: 'credential', key: revoked, memberName: member.name, memberRemoved: true });
  }
  const endpoints = stopEndpoints(state.endpoints, ({ memberId }) => memberId === member.id, now);
  if (endpoints !== null) effects.push({ kind: 'endpoints-changed' });
  return done(
    withMember({ ...state, keys, endpoints: endpoints ?? state.endpoints }, { ...member, removed: true }),
    effects,
  );
}

export function verifyEmail({ state }: DecisionContext, command: VerifyEmail): DecideResult {
  const member = state.members[command.memberId];
  if (!member || member.removed) return refuse(state, 'not_found', 'There is no such Member.');
  return done(member.emailVerified ? state : withMember(state, { ...member, emailVerified: true }));
}
