import { isRequested, type RequestedCommand, type Command, type ReportedCommand } from './commands.ts';
import { cancelPost } from './decide/cancel-post.ts';
import { connectChannel, disconnectChannel, markChannel } from './decide/channels.ts';
import { createPost } from './decide/create-post.ts';
import { createWorkspace } from './decide/create-workspace.ts';
import { deleteEndpoint, deliverToEndpoint, registerEndpoint, rotateEndpointSecret } from './decide/endpoints.ts';
import { createKey, revokeKey } from './decide/keys.ts';
import { addMember, removeMember, verifyEmail } from './decide/members.ts';
import { addCredits, planDue, setPlan } from './decide/plan.ts';
import { endingTimers, filesDue } from './decide/files-due.ts';
import { fileFetched, mediaFailed, mediaPrepared } from './decide/media-reports.ts';
import { publishReport } from './decide/publish-reports.ts';
import { retryVariant } from './decide/retry-variant.ts';
import { continueSweep } from './decide/sweep.ts';
import { completeUpload, removeUpload, reserveUpload, uploadExpired } from './decide/uploads.ts';
import { variantsDue } from './decide/variants-due.ts';
import { refuse, authorize, unchanged, type DecideResult, type DecisionContext } from './decision-context.ts';
import type { Decide } from './decision.ts';

/**
 * The rules of a Workspace, pure. A requested command always has a result; one that is refused changes nothing, except
 * that completing an upload whose file is not what was reserved removes the upload. A report has no result, and is
 * ignored when it is about an older attempt. `view` must hold what `loadsOf` named, and the caller must not pass a
 * command after its `notAfter`. Throws only where the caller broke that, or the state breaks an invariant.
 */
export const decide: Decide = (command, input) => {
  const { state } = input;
  if (command.type === 'CreateWorkspace') return createWorkspace(state, command);
  if (state === null)
    return isRequested(command) ? refuse(state, 'not_found', 'There is no such Workspace.') : unchanged(state);
  const situation: DecisionContext = { ...input, state };
  const outcome = isRequested(command) ? decideAsked(situation, command) : decideReported(situation, command);
  // After FilesDue nothing is left to remove, so no timer is set again.
  const timers = command.type === 'FilesDue' ? [] : endingTimers(situation, outcome.posts);
  return timers.length === 0 ? outcome : { ...outcome, effects: [...outcome.effects, ...timers] };
};

function decideAsked(situation: DecisionContext, command: RequestedCommand): DecideResult {
  return (
    decidePosts(situation, command) ??
    decideUploads(situation, command) ??
    decideEndpoints(situation, command) ??
    decideOperators(situation, command)
  );
}

function decidePosts(situation: DecisionContext, command: Command): DecideResult | null {
  switch (command.type) {
    case 'CreatePost':
      return createPost(situation, command);
    case 'CancelPost':
      return cancelPost(situation, command);
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
    case 'SendTestEvent':
    case 'ReplayDelivery':
      return deliverToEndpoint(situation, command);
    default:
      return null;
  }
}

/** Channels, Members, keys and billing are not for API keys. */
function decideOperators(situation: DecisionContext, command: RequestedCommand): DecideResult {
  const { state } = situation;
  if (command.credential !== null) {
    const standing = authorize(state, command.credential, 'posts:schedule');
    return standing.ok
      ? refuse(state, 'forbidden', 'This is done in the app, not with an API key.')
      : unchanged(state, standing);
  }
  switch (command.type) {
    case 'ConnectChannel':
      return connectChannel(situation, command);
    case 'DisconnectChannel':
      return disconnectChannel(situation, command);
    case 'SetPlan':
      return setPlan(situation, command);
    case 'AddCredits':
      return addCredits(situation, command);
    case 'AddMember':
      return addMember(situation, command);
    case 'RemoveMember':
      return removeMember(situation, command);
    case 'VerifyEmail':
      return verifyEmail(situation, command);
    case 'CreateKey':
      return createKey(situation, command);
    case 'RevokeKey':
      return revokeKey(situation, command);
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
    case 'MarkChannel':
      return markChannel(situation, command);
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
