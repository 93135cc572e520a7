import { monthOf } from '../../plan/month.ts';
import type { CreateWorkspace } from '../commands.ts';
import { refuse, unchanged, type DecideResult } from '../decision-context.ts';
import type { Member, WorkspaceState } from '../state.ts';

/** An equal repeat is done; a different request for an id that is taken is refused. */
export function createWorkspace(state: WorkspaceState | null, command: CreateWorkspace): DecideResult {
  const { owner } = command;
  if (state !== null) {
    const same = state.name === command.name && state.members[owner.memberId]?.email === owner.email;
    if (!same) return refuse(state, 'invalid_request', 'There is a Workspace with this id already.');
    return unchanged(state, { ok: true, kind: 'done' });
  }
  if (command.credential !== null)
    return refuse(state, 'forbidden', 'A Workspace is made by an operator, not with an API key.');
  const member: Member = {
    id: owner.memberId,
    name: owner.name,
    email: owner.email,
    emailVerified: owner.emailVerified,
    removed: false,
    role: 'owner',
  };
  const created: WorkspaceState = {
    id: command.workspaceId,
    name: command.name,
    ...(command.timeZone !== undefined && { timeZone: command.timeZone }),
    createdAt: command.issuedAt,
    plan: command.plan,
    comingPlan: null,
    members: { [member.id]: member },
    channels: {},
    keys: {},
    usage: { month: monthOf(command.issuedAt), posts: 0, previousPosts: 0 },
    xCredits: { available: 0, reserved: 0 },
    storage: { bytes: 0 },
    sweeps: [],
    endpoints: {},
    approvals: {},
    invitations: {},
    membershipsWritten: 0,
  };
  return {
    state: created,
    posts: [],
    result: { ok: true, kind: 'done' },
    effects: [{ kind: 'channels-changed' }],
    rest: null,
  };
}
