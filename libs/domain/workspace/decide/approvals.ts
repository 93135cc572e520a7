import { isActive } from '../../webhook/endpoint.ts';
import type { ApproveApp, RevokeApproval } from '../commands.ts';
import { done, mayApprove, refusal, refuse, unchanged } from '../decision-context.ts';
import type { DecideResult, DecisionContext } from '../decision-context.ts';
import type { Effect } from '../effects.ts';
import type { Refusal } from '../results.ts';
import { PERMISSIONS, type Approval, type WorkspaceState } from '../state.ts';
import { stopEndpoints } from './endpoints.ts';

/** Keeps the Workspace's one row small: it is read and written whole. */
const MAX_APPROVALS = 1_000;
/** As much as a key's name, so that a Post's weight does not grow with what made it. */
const MAX_NAME_LENGTH = 200;
const MAX_CLIENT_ID_LENGTH = 2_048;
/** Each that was live has a row in the same turn; what is left is forgotten at a later consent. */
const MAX_FORGOTTEN = 100;

/** An equal repeat is done, unless the approval ended meanwhile: nothing brings one back. */
export function approveApp({ state, now }: DecisionContext, command: ApproveApp): DecideResult {
  const refused = refusedFor(state, command);
  if (refused !== null) return unchanged(state, refused);
  const known = state.approvals[command.approvalId];
  if (known !== undefined) return judgeRepeat(state, known, command);
  const room = forget(state, command.forget, now);
  if (Object.values(room.state.approvals).filter(({ revoked }) => !revoked).length >= MAX_APPROVALS) {
    return refuse(
      state,
      'limit_reached',
      `A Workspace has ${MAX_APPROVALS} approved apps at most. Revoke some that are not used.`,
    );
  }
  const approval: Approval = {
    id: command.approvalId,
    clientId: command.clientId,
    name: command.name,
    registered: command.registered,
    redirectHost: command.redirectHost,
    memberId: command.memberId,
    permissions: PERMISSIONS.filter(
      (permission) => permission === 'posts:schedule' || command.permissions.includes(permission),
    ),
    createdAt: command.issuedAt,
    revoked: false,
  };
  return done({ ...room.state, approvals: { ...room.state.approvals, [approval.id]: approval } }, [
    ...room.effects,
    { kind: 'approval', approval, member: state.members[approval.memberId]! },
  ]);
}

function refusedFor(state: WorkspaceState, { memberId, name, clientId }: ApproveApp): Refusal | null {
  const member = state.members[memberId];
  if (!member || member.removed) return refusal('not_found', 'There is no such Member.');
  if (!mayApprove(member))
    return refusal('forbidden', 'Viewers can not approve apps. Ask an owner of the Workspace to make you an editor.');
  if (!member.emailVerified)
    return refusal('email_not_verified', `${member.name} has to verify the account's e-mail before approving an app.`);
  if (name.length > MAX_NAME_LENGTH || clientId.length > MAX_CLIENT_ID_LENGTH)
    return refusal('invalid_request', 'The name or the client id of this app is too long.');
  return null;
}

function judgeRepeat(state: WorkspaceState, known: Approval, { clientId, memberId }: ApproveApp): DecideResult {
  if (known.clientId !== clientId || known.memberId !== memberId)
    return refuse(state, 'invalid_request', 'There is an approval with this id already.');
  return known.revoked
    ? refuse(state, 'invalid_request', 'This approval has ended. Connect the app again.')
    : done(state);
}

/** Ending it again is done: who asks may not know that it ended. */
export function revokeApproval({ state, now }: DecisionContext, command: RevokeApproval): DecideResult {
  if (!state.approvals[command.approvalId]) return refuse(state, 'not_found', 'There is no such approval.');
  const ended = endApprovals(state, ({ id }) => id === command.approvalId, { now, limit: 1 });
  return done(ended.state, ended.effects);
}

export interface EndedApprovals {
  readonly state: WorkspaceState;
  readonly effects: readonly Effect[];
}

/** Ends those live ones that `isMeant`, at most `limit`, and stops the endpoints that they registered. */
export function endApprovals(
  state: WorkspaceState,
  isMeant: (approval: Approval) => boolean,
  { now, limit }: { readonly now: number; readonly limit: number },
): EndedApprovals {
  const ended = Object.values(state.approvals)
    .filter((approval) => !approval.revoked && isMeant(approval))
    .slice(0, limit)
    .map((approval): Approval => ({ ...approval, revoked: true }));
  if (ended.length === 0) return { state, effects: [] };
  const ids = new Set(ended.map(({ id }) => id));
  const endpoints = stopEndpoints(state.endpoints, ({ approvalId }) => ids.has(approvalId ?? ''), now);
  const effects: Effect[] = ended.map((approval) => ({
    kind: 'approval',
    approval,
    member: state.members[approval.memberId]!,
  }));
  return {
    state: {
      ...state,
      approvals: { ...state.approvals, ...Object.fromEntries(ended.map((approval) => [approval.id, approval])) },
      endpoints: endpoints ?? state.endpoints,
    },
    effects: endpoints === null ? effects : [...effects, { kind: 'endpoints-changed' }],
  };
}

/**
 * Drops approvals that nobody can use any more. One whose tokens ran out, but whose endpoint still takes events, is in
 * use: it stays until a person revokes it.
 */
function forget(state: WorkspaceState, approvalIds: readonly string[], now: number): EndedApprovals {
  const inUse = new Set(Object.values(state.endpoints).flatMap((each) => (isActive(each) ? [each.approvalId] : [])));
  const dropped = new Set(approvalIds.filter((id) => !inUse.has(id)).slice(0, MAX_FORGOTTEN));
  const ended = endApprovals(state, ({ id }) => dropped.has(id), { now, limit: MAX_FORGOTTEN });
  const kept = Object.entries(ended.state.approvals).filter(([id]) => !dropped.has(id));
  return { ...ended, state: { ...ended.state, approvals: Object.fromEntries(kept) } };
}
