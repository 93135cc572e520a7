import { postIdOfVariant } from '../post/ids.ts';
import type { Post } from '../post/post.ts';
import type { AuditAction, AuditDetail, AuditSubject } from './audit.ts';
import { boundedName, firstWords } from './audit.ts';
import type { ReportedCommand, RequestedCommand } from './commands.ts';
import type { DecideResult } from './decision-context.ts';
import type { Member, WorkspaceState } from './state.ts';

/** What a command did, as the audit says it. */
export interface AuditFact {
  readonly action: AuditAction;
  readonly subject: AuditSubject;
  readonly detail?: AuditDetail;
}

/** A command that was carried out, and what it changed. */
interface CommandStep<C> {
  readonly command: C;
  readonly before: WorkspaceState;
  readonly after: WorkspaceState;
  readonly outcome: DecideResult;
}

type CommandOf<T extends RequestedCommand['type']> = Extract<RequestedCommand, { readonly type: T }>;
type FactsByCommand = {
  readonly [T in RequestedCommand['type']]: (step: CommandStep<CommandOf<T>>) => AuditFact | null;
};

/** More Channels than people look for by name; a Downgrade may disconnect hundreds. */
const MAX_DISCONNECTED = 20;

/**
 * An upload alone changes nothing that anybody relies on: the Post that takes it is in the audit, and one that none
 * takes is removed by itself. An entry for each would triple the audit of whoever posts pictures.
 */
const notAudited = (): null => null;

/**
 * What each command did, by comparing the state before and after it: null when it found everything done already. A
 * command of several steps has its entry from the step that makes the difference.
 */
const FACTS: FactsByCommand = {
  CreateWorkspace: notAudited,
  RenameWorkspace: ({ before, after }) =>
    before.name === after.name
      ? null
      : {
          action: 'workspace.renamed',
          subject: workspaceOf(after),
          detail: { formerName: boundedName(before.name) },
        },
  SetZone: ({ command: { timeZone }, before }) =>
    before.timeZone === timeZone
      ? null
      : {
          action: 'workspace.zone_changed',
          subject: workspaceOf(before),
          detail: { timeZone, ...(before.timeZone !== undefined && { formerTimeZone: before.timeZone }) },
        },
  HoldPublishing: ({ command: { reason }, after }) => ({
    action: 'publishing.held',
    subject: workspaceOf(after),
    detail: { reason: boundedName(reason) },
  }),
  ReleasePublishing: ({ after }) => ({ action: 'publishing.released', subject: workspaceOf(after) }),
  CreatePost: ({ command, outcome }) => createdPost(command, outcome),
  CancelPost: ({ outcome }) => ({ action: 'post.cancelled', subject: postOf(outcome.posts[0]!) }),
  VoidFileAddresses: ({ outcome: { posts } }) =>
    posts.length === 0 ? null : { action: 'post.addresses_voided', subject: postOf(posts[0]!) },
  RetryVariant: ({ command: { variantId }, outcome: { posts } }) => ({
    action: 'variant.retried',
    subject: postOf(posts.find(({ id }) => id === postIdOfVariant(variantId))!),
    detail: { variantId },
  }),
  ConnectChannel: ({ command: { channelId, network }, before }) => ({
    action: before.channels[channelId] === undefined ? 'channel.connected' : 'channel.reconnected',
    subject: channelOf(channelId),
    detail: { network },
  }),
  SetChannelDefaults: ({ command: { channelId, defaults }, before }) =>
    JSON.stringify(before.channels[channelId]?.defaults) === JSON.stringify(defaults)
      ? null
      : { action: 'channel.defaults_changed', subject: channelOf(channelId) },
  DisconnectChannel: ({ command: { channelId }, before }) =>
    before.channels[channelId]?.state === 'not_connected'
      ? null
      : { action: 'channel.disconnected', subject: channelOf(channelId) },
  SetPlan: ({ before, after }) => changedPlan(before, after),
  AddCredits: ({ command: { credits }, before, after }) =>
    before.xCredits.available === after.xCredits.available
      ? null
      : { action: 'credits.added', subject: workspaceOf(after), detail: { credits } },
  AddMember: ({ command: { memberId }, after }) => newMember('member.added', after.members[memberId]),
  RemoveMember: ({ command: { memberId, credential }, before }) => {
    const member = before.members[memberId];
    if (member === undefined || member.removed) return null;
    const isOwn = credential?.kind === 'member' && credential.memberId === memberId;
    return { action: isOwn ? 'member.left' : 'member.removed', subject: memberOf(member) };
  },
  VerifyEmail: ({ command: { memberId }, before, after }) =>
    before.members[memberId]?.emailVerified === true
      ? null
      : { action: 'member.email_verified', subject: memberOf(after.members[memberId]!) },
  ChangeMemberRole: ({ command: { memberId, role }, before }) => {
    const member = before.members[memberId];
    if (member === undefined || member.role === role) return null;
    return { action: 'member.role_changed', subject: memberOf(member), detail: { role, formerRole: member.role } };
  },
  InviteMember: ({ command: { invitationId, email, role }, before }) =>
    before.invitations[invitationId] !== undefined
      ? null
      : { action: 'member.invited', subject: invitationOf(invitationId, email), detail: { role } },
  RevokeInvitation: ({ command: { invitationId }, before }) => {
    const invitation = before.invitations[invitationId];
    return invitation === undefined
      ? null
      : { action: 'invitation.revoked', subject: invitationOf(invitationId, invitation.email) };
  },
  AcceptInvitation: ({ command: { memberId }, before, after }) =>
    before.members[memberId] !== undefined ? null : newMember('member.joined', after.members[memberId]),
  ApproveApp: ({ command: { approvalId }, before, after }) => {
    const approval = after.approvals[approvalId];
    if (approval === undefined || before.approvals[approvalId] !== undefined) return null;
    const { name, permissions, memberId } = approval;
    return { action: 'app.approved', subject: named('app', approvalId, name), detail: { permissions, memberId } };
  },
  RevokeApproval: ({ command: { approvalId }, before }) => {
    const approval = before.approvals[approvalId];
    if (approval === undefined || approval.revoked) return null;
    const { name, memberId } = approval;
    return { action: 'app.revoked', subject: named('app', approvalId, name), detail: { memberId } };
  },
  CreateKey: ({ command: { keyId }, after }) => {
    const { name, permissions, memberId, limits } = after.keys[keyId]!;
    const detail = { permissions, memberId, ...(limits !== undefined && { limits }) };
    return { action: 'key.created', subject: named('key', keyId, name), detail };
  },
  RevokeKey: ({ command: { keyId }, before }) => {
    const key = before.keys[keyId];
    if (key === undefined || key.revoked) return null;
    return { action: 'key.revoked', subject: named('key', keyId, key.name), detail: { memberId: key.memberId } };
  },
  ReserveUpload: notAudited,
  CompleteUpload: notAudited,
  RemoveUpload: notAudited,
  RegisterEndpoint: ({ command: { endpointId, events }, after }) => ({
    action: 'endpoint.registered',
    subject: endpointOf(after, endpointId),
    detail: { events },
  }),
  DeleteEndpoint: ({ command: { endpointId }, before }) => ({
    action: 'endpoint.deleted',
    subject: endpointOf(before, endpointId),
  }),
  RotateEndpointSecret: ({ command: { endpointId }, after }) => ({
    action: 'endpoint.secret_rotated',
    subject: endpointOf(after, endpointId),
  }),
  // Of the installation's secret, not of the Workspace: operators' own audit tells of it.
  ResealEndpoint: notAudited,
  SendTestEvent: ({ command: { endpointId }, after }) => ({
    action: 'endpoint.tested',
    subject: endpointOf(after, endpointId),
  }),
  ReplayDelivery: ({ command: { endpointId, deliveryId }, after }) => ({
    action: 'endpoint.replayed',
    subject: endpointOf(after, endpointId),
    detail: { deliveryId },
  }),
};

/** What a command did that was asked for; null: nothing, or nothing that is audited. */
export function requestFact(
  command: RequestedCommand,
  before: WorkspaceState | null,
  outcome: DecideResult,
): AuditFact | null {
  const { state: after, result, rest } = outcome;
  // A command of several steps has no result before its last one.
  const isDone = result === null ? rest !== null : result.ok;
  if (after === null || !isDone) return null;
  if (before === null)
    return { action: 'workspace.created', subject: workspaceOf(after), detail: { plan: after.plan } };
  // The table has the right function for each type; TypeScript can't follow that through the union.
  const factOf = FACTS[command.type] as (step: CommandStep<RequestedCommand>) => AuditFact | null;
  return factOf({ command, before, after, outcome });
}

/** What a report changed that people rely on; null: nothing of that kind. */
export function reportFact(
  command: ReportedCommand,
  before: WorkspaceState,
  { state: after }: DecideResult,
): AuditFact | null {
  if (after === null || after === before) return null;
  switch (command.type) {
    case 'MarkChannel': {
      const channel = after.channels[command.channelId];
      const isNew = before.channels[command.channelId]?.state === 'connected';
      if (channel?.state !== 'needs_reconnect' || !isNew) return null;
      const { id, network } = channel;
      return { action: 'channel.needs_reconnect', subject: channelOf(id), detail: { network } };
    }
    case 'EraseAccount': {
      const { network } = after.channels[command.channelId]!;
      return { action: 'channel.erased', subject: channelOf(command.channelId), detail: { network } };
    }
    case 'PlanDue':
      return changedPlan(before, after);
    default:
      return null;
  }
}

function createdPost(command: CommandOf<'CreatePost'>, { result, posts }: DecideResult): AuditFact | null {
  if (result?.ok !== true || result.kind !== 'post' || result.replayed) return null;
  const post = posts.find(({ id }) => id === command.postId)!;
  const detail = { scheduledAt: post.scheduledAt, variants: post.variants.length };
  const { replaces } = command;
  if (replaces === undefined) return { action: 'post.created', subject: postOf(post), detail };
  return { action: 'post.replaced', subject: postOf(post), detail: { ...detail, replaces } };
}

/** By `SetPlan`, or by a change that came due. */
function changedPlan(before: WorkspaceState, after: WorkspaceState): AuditFact | null {
  const subject = workspaceOf(after);
  const formerPlan = before.plan;
  const { plan, comingPlan } = after;
  if (plan !== formerPlan || isDisconnecting(before, after)) {
    const disconnected = disconnectedBetween(before, after);
    return {
      action: 'plan.changed',
      subject,
      detail: { plan, formerPlan, ...(disconnected.length > 0 && { disconnected }) },
    };
  }
  if (comingPlan === null)
    return before.comingPlan === null ? null : { action: 'plan.change_withdrawn', subject, detail: { plan } };
  const isKnown =
    before.comingPlan?.plan === comingPlan.plan && before.comingPlan.effectiveAt === comingPlan.effectiveAt;
  const detail = { plan: comingPlan.plan, formerPlan, effectiveAt: comingPlan.effectiveAt };
  return isKnown ? null : { action: 'plan.change_scheduled', subject, detail };
}

function isDisconnecting(before: WorkspaceState, after: WorkspaceState): boolean {
  return before.channels !== after.channels;
}

function disconnectedBetween(before: WorkspaceState, after: WorkspaceState): readonly string[] {
  return Object.values(after.channels)
    .filter(({ id, disconnects }) => disconnects > before.channels[id]!.disconnects)
    .map(({ id }) => id)
    .slice(0, MAX_DISCONNECTED);
}

function newMember(action: AuditAction, member: Member | undefined): AuditFact | null {
  return member === undefined ? null : { action, subject: memberOf(member), detail: { role: member.role } };
}

function named(kind: AuditSubject['kind'], id: string, name: string): AuditSubject {
  return { kind, id, name: boundedName(name) };
}

function workspaceOf({ id, name }: WorkspaceState): AuditSubject {
  return named('workspace', id, name);
}

function memberOf({ id, name }: Member): AuditSubject {
  return named('member', id, name);
}

function invitationOf(id: string, email: string): AuditSubject {
  return named('invitation', id, email);
}

function channelOf(id: string): AuditSubject {
  return { kind: 'channel', id, name: null };
}

function postOf({ id, text }: Post): AuditSubject {
  return { kind: 'post', id, name: firstWords(text) };
}

/** By its host alone: the rest of the address may hold a secret. */
function endpointOf({ endpoints }: WorkspaceState, id: string): AuditSubject {
  const url = endpoints[id]?.url ?? '';
  return named('endpoint', id, URL.parse(url)?.host ?? '');
}
