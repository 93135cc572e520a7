import { liveChannels } from '../channel/live.ts';
import type { RequestedCommand } from './commands.ts';
import type { Credential } from './request-envelope.ts';
import { authorize, refusal } from './decision-context.ts';
import type { Refusal } from './results.ts';
import type { Member, MemberRole, WorkspaceState } from './state.ts';

type CommandType = RequestedCommand['type'];

/**
 * Who may ask for a command. `own`: editors about what is theirs, owners about everything. `self`: every Member about
 * themselves, owners about everybody. `nobody`: it comes from an operator, or with signing in.
 */
type Right = 'editor' | 'owner' | 'own' | 'self' | 'nobody';

/** Owners manage the Workspace, editors make Posts and bring in apps and keys of their own, viewers look on. */
const RIGHTS: Readonly<Record<CommandType, Right>> = {
  CreateWorkspace: 'nobody',
  RenameWorkspace: 'owner',
  SetZone: 'owner',
  HoldPublishing: 'owner',
  ReleasePublishing: 'owner',
  CreatePost: 'editor',
  CancelPost: 'editor',
  VoidFileAddresses: 'editor',
  RetryVariant: 'editor',
  ConnectChannel: 'own',
  SetChannelDefaults: 'editor',
  DisconnectChannel: 'owner',
  SetPlan: 'owner',
  AddCredits: 'owner',
  AddMember: 'nobody',
  RemoveMember: 'self',
  VerifyEmail: 'nobody',
  ChangeMemberRole: 'owner',
  InviteMember: 'owner',
  RevokeInvitation: 'owner',
  AcceptInvitation: 'nobody',
  ApproveApp: 'nobody',
  RevokeApproval: 'own',
  CreateKey: 'own',
  RevokeKey: 'own',
  ReserveUpload: 'editor',
  CompleteUpload: 'editor',
  RemoveUpload: 'editor',
  RegisterEndpoint: 'editor',
  DeleteEndpoint: 'editor',
  RotateEndpointSecret: 'editor',
  ResealEndpoint: 'nobody',
  SendTestEvent: 'editor',
  ReplayDelivery: 'editor',
};

const RANK: Readonly<Record<MemberRole, number>> = { viewer: 0, editor: 1, owner: 2 };

export const LOOKS_ON =
  'You are a viewer of this Workspace: you can look at its Posts, and change nothing. Ask an owner to make you an editor.';
const OWNERS_ONLY = 'Only owners of this Workspace can do this. Ask one of them to do it, or to make you an owner.';

/** Why the Member may not ask for this, for a person; null: they may. */
export function lackOfRight(state: WorkspaceState, member: Member, command: RequestedCommand): string | null {
  const right = RIGHTS[command.type];
  const asks = (role: MemberRole): string | null => {
    if (RANK[member.role] >= RANK[role]) return null;
    return role === 'editor' ? LOOKS_ON : OWNERS_ONLY;
  };
  switch (right) {
    case 'nobody':
      return 'This is not done by Members.';
    case 'editor':
    case 'owner':
      return asks(right);
    case 'self':
      return isOfMember(state, member, command) ? null : asks('owner');
    case 'own':
      return asks(isOfMember(state, member, command) ? 'editor' : 'owner');
  }
}

/**
 * Whether the Member asked to give up a right of their own, and a step of that took it from them already: the steps
 * after it end their keys and apps. Refused, these would stay good.
 */
export function isUnderWay(state: WorkspaceState, memberId: string, command: RequestedCommand): boolean {
  return 'memberId' in command && command.memberId === memberId && isBegun(state, command);
}

/**
 * Whether the first step of the command was taken, of one that takes several. A crash may come between two of them, and
 * the next owner gets the command late: given up then, it would leave keys and apps good of who has no right to them.
 */
export function isBegun({ members }: WorkspaceState, command: RequestedCommand): boolean {
  if (command.type !== 'RemoveMember' && command.type !== 'ChangeMemberRole') return false;
  const member = members[command.memberId];
  if (member === undefined) return false;
  if (command.type === 'RemoveMember') return member.removed;
  return command.role === 'viewer' && member.role === 'viewer' && !member.removed;
}

/** Why the caller may not see what only owners see; null: they may. */
export function lackOfOwnership(state: WorkspaceState, credential: Credential): Refusal | null {
  const standing = authorize(state, credential, 'posts:schedule');
  if (!standing.ok) return standing;
  return credential.kind === 'member' && standing.member?.role === 'owner' ? null : refusal('forbidden', OWNERS_ONLY);
}

/** Whether the command is about the Member themselves, or about what is theirs. */
function isOfMember(state: WorkspaceState, { id }: Member, command: RequestedCommand): boolean {
  switch (command.type) {
    case 'RemoveMember':
    case 'CreateKey':
      return command.memberId === id;
    case 'RevokeKey':
      return state.keys[command.keyId]?.memberId === id;
    case 'RevokeApproval':
      return state.approvals[command.approvalId]?.memberId === id;
    case 'ConnectChannel':
      // Connecting again is for everybody who makes Posts: it must not wait for an owner. Of a disconnected
      // Channel owners decide anew, as of one that never was.
      return liveChannels(state.channels).some((channel) => channel.id === command.channelId);
    default:
      return false;
  }
}
