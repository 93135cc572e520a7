import { withAudit } from './audit-entry.ts';
import { isRequested, type Command, type ReportedCommand, type RequestedCommand } from './commands.ts';
import type { RemovePosts } from './turn-step.ts';
import { approveApp, revokeApproval } from './decide/approvals.ts';
import { cancelPost } from './decide/cancel-post.ts';
import {
  connectChannel,
  disconnectChannel,
  eraseAccount,
  markChannel,
  pictureCopied,
  setChannelDefaults,
} from './decide/channels.ts';
import { createPost } from './decide/create-post.ts';
import { createWorkspace } from './decide/create-workspace.ts';
import {
  deleteEndpoint,
  deliverToEndpoint,
  registerEndpoint,
  resealEndpoint,
  rotateEndpointSecret,
} from './decide/endpoints.ts';
import { acceptInvitation, inviteMember, revokeInvitation } from './decide/invitations.ts';
import { createKey, revokeKey } from './decide/keys.ts';
import { addMember, changeMemberRole, removeMember, verifyEmail } from './decide/members.ts';
import { withMemberships } from './decide/memberships.ts';
import { isUnderWay, lackOfRight } from './member-rights.ts';
import { grows, withRoom } from './room.ts';
import { addCredits, planDue, setPlan } from './decide/plan.ts';
import { endingTimers, filesDue } from './decide/files-due.ts';
import { fileFetched, mediaFailed, mediaPrepared } from './decide/media-reports.ts';
import { firstCommentEnded } from './decide/first-comment.ts';
import { publishHeld, publishReport } from './decide/publish-reports.ts';
import { removePosts } from './decide/remove-posts.ts';
import { retryVariant } from './decide/retry-variant.ts';
import { voidFileAddresses } from './decide/void-file-addresses.ts';
import { continueSweep } from './decide/sweep.ts';
import { completeUpload, removeUpload, reserveUpload, uploadExpired } from './decide/uploads.ts';
import { variantsDue } from './decide/variants-due.ts';
import { done, refuse, authorize, unchanged, type DecideResult, type DecisionContext } from './decision-context.ts';
import type { Decide, DecisionInput } from './decision.ts';

/**
 * The rules of a Workspace, pure. A requested command always has a result; one that is refused changes nothing, except
 * that completing an upload whose file is not what was reserved removes the upload, and that any command has rows
 * written that an older release owes. A report has no result, and is
 * ignored when it is about an older attempt. `view` must hold what `loadsOf` named, and the caller must not pass a
 * command after its `notAfter`, unless it `isBegun`. Throws only where the caller broke that, or the state breaks an
 * invariant.
 */
export const decide: Decide = (command, input) =>
  withMemberships(
    command.type === 'RemovePosts'
      ? decideOwn(command, input)
      : withAudit(command, input, decideCommand(command, input)),
  );

function decideOwn(command: RemovePosts, { state, ...input }: DecisionInput): DecideResult {
  return state === null ? unchanged(state) : removePosts({ ...input, state }, command);
}

function decideCommand(command: Command, input: DecisionInput): DecideResult {
  const { state } = input;
  if (command.type === 'CreateWorkspace') return createWorkspace(state, command);
  if (state === null)
    return isRequested(command) ? refuse(state, 'not_found', 'There is no such Workspace.') : unchanged(state);
  const situation: DecisionContext = { ...input, state };
  const outcome = isRequested(command) ? decideAsked(situation, command) : decideReported(situation, command);
  // After FilesDue nothing is left to remove, so no timer is set again.
  const timers = command.type === 'FilesDue' ? [] : endingTimers(situation, outcome.posts);
  return timers.length === 0 ? outcome : { ...outcome, effects: [...outcome.effects, ...timers] };
}

function decideAsked(given: DecisionContext, command: RequestedCommand): DecideResult {
  const situation = grows(command) ? { ...given, state: withRoom(given.state, given.now) } : given;
  return (
    decideRights(situation, command) ??
    decidePosts(situation, command) ??
    decideUploads(situation, command) ??
    decideEndpoints(situation, command) ??
    decideOperators(situation, command)
  );
}

/** Null: the command is of no Member who is signed in, or of one who may ask for it. */
function decideRights({ state }: DecisionContext, command: RequestedCommand): DecideResult | null {
  const { credential } = command;
  if (credential?.kind !== 'member' || isUnderWay(state, credential.memberId, command)) return null;
  const standing = authorize(state, credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const lack = lackOfRight(state, standing.member!, command);
  return lack === null ? null : refuse(state, 'forbidden', lack);
}

function decidePosts(situation: DecisionContext, command: Command): DecideResult | null {
  switch (command.type) {
    case 'CreatePost':
      return createPost(situation, command);
    case 'CancelPost':
      return cancelPost(situation, command);
    case 'VoidFileAddresses':
      return voidFileAddresses(situation, command);
    case 'RetryVariant':
      return retryVariant(situation, command);
    default:
      return null;
  }
}

function decideUploads(situation: DecisionContext, command: Command): DecideResult | null {
  switch (command.type) {
    case 'ReserveUpload':
      return reserveUpload(situation, command);
    case 'CompleteUpload':
      return completeUpload(situation, command);
    case 'RemoveUpload':
      return removeUpload(situation, command);
    default:
      return null;
  }
}

function decideEndpoints(situation: DecisionContext, command: Command): DecideResult | null {
  switch (command.type) {
    case 'RegisterEndpoint':
      return registerEndpoint(situation, command);
    case 'DeleteEndpoint':
      return deleteEndpoint(situation, command);
    case 'RotateEndpointSecret':
      return rotateEndpointSecret(situation, command);
    case 'ResealEndpoint':
      return resealEndpoint(situation, command);
    case 'SendTestEvent':
    case 'ReplayDelivery':
      return deliverToEndpoint(situation, command);
    default:
      return null;
  }
}

const WITH = { key: 'an API key', app: "an app's token" } as const;

/** Channels, Members, keys, apps and billing are not for API keys and apps. */
function decideOperators(situation: DecisionContext, command: RequestedCommand): DecideResult {
  const { state } = situation;
  if (command.credential !== null && command.credential.kind !== 'member') {
    const standing = authorize(state, command.credential, 'posts:schedule');
    return standing.ok
      ? refuse(state, 'forbidden', `This is done by a Member, not with ${WITH[command.credential.kind]}.`)
      : unchanged(state, standing);
  }
  switch (command.type) {
    case 'RenameWorkspace':
      // The rows by which accounts find the Workspace have its name and zone: this turn and the next write them again.
      return done({ ...state, name: command.name, membershipsWritten: 0 });
    case 'SetZone':
      return state.timeZone === command.timeZone
        ? done(state)
        : done({ ...state, timeZone: command.timeZone, membershipsWritten: 0 });
    case 'HoldPublishing':
    case 'ReleasePublishing':
      return done(state);
    case 'ConnectChannel':
      return connectChannel(situation, command);
    case 'SetChannelDefaults':
      return setChannelDefaults(situation, command);
    case 'DisconnectChannel':
      return disconnectChannel(situation, command);
    case 'SetPlan':
      return setPlan(situation, command);
    case 'AddCredits':
      return addCredits(situation, command);
    default:
      return decidePeople(situation, command);
  }
}

function decidePeople(situation: DecisionContext, command: RequestedCommand): DecideResult {
  switch (command.type) {
    case 'AddMember':
      return addMember(situation, command);
    case 'RemoveMember':
      return removeMember(situation, command);
    case 'VerifyEmail':
      return verifyEmail(situation, command);
    case 'ChangeMemberRole':
      return changeMemberRole(situation, command);
    case 'InviteMember':
      return inviteMember(situation, command);
    case 'RevokeInvitation':
      return revokeInvitation(situation, command);
    case 'AcceptInvitation':
      return acceptInvitation(situation, command);
    case 'CreateKey':
      return createKey(situation, command);
    case 'RevokeKey':
      return revokeKey(situation, command);
    case 'ApproveApp':
      return approveApp(situation, command);
    case 'RevokeApproval':
      return revokeApproval(situation, command);
    default:
      throw new Error(`no rule for ${command.type}`);
  }
}

function decideReported(situation: DecisionContext, command: ReportedCommand): DecideResult {
  switch (command.type) {
    case 'VariantsDue':
      return variantsDue(situation, command);
    case 'PublishSucceeded':
    case 'PublishFailed':
    case 'PublishUnconfirmed':
      return publishReport(situation, command);
    case 'PublishHeld':
      return publishHeld(situation, command);
    case 'FirstCommentEnded':
      return firstCommentEnded(situation, command);
    case 'MarkChannel':
      return markChannel(situation, command);
    case 'EraseAccount':
      return eraseAccount(situation, command);
    case 'PictureCopied':
      return pictureCopied(situation, command);
    case 'PlanDue':
      return planDue(situation, command);
    case 'ContinueSweep':
      return continueSweep(situation, command);
    case 'FileFetched':
      return fileFetched(situation, command);
    case 'MediaPrepared':
      return mediaPrepared(situation, command);
    case 'MediaFailed':
      return mediaFailed(situation, command);
    case 'UploadExpired':
      return uploadExpired(situation, command);
    case 'FilesDue':
      return filesDue(situation, command);
  }
}
