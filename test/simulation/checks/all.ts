import type { Check } from '../aftermath.ts';
import { acknowledgedPostsAreThere } from './acknowledged-posts.ts';
import { answersAreKept } from './answers-are-kept.ts';
import { askedBeforeAgain } from './asked-before-again.ts';
import { filesAreReadyInTime } from './files-in-time.ts';
import { publishedFilesAreTrue } from './published-files.ts';
import { storedFilesAddUp } from './stored-files.ts';
import { uploadsKeepTheirWord } from './uploads.ts';
import { attemptsAreInTime } from './attempts-in-time.ts';
import { bulkAnswersAreTrue } from './bulk-answers.ts';
import { channelsKeepTheirOrder, channelsMakeOneCallAtATime } from './channel-order.ts';
import { workspacesHaveRoom } from './room.ts';
import { commandsAreDecided } from './commands-decided.ts';
import { creditsBalance } from './credits.ts';
import { deliveryRowsAreTrue } from './delivery-rows.ts';
import { endedEndpointsGetNothing } from './ended-endpoints.ts';
import { outcomesAreTold } from './events.ts';
import { endedCredentialsAreDead } from './ended-credentials.ts';
import { eventsArrive } from './events-arrive.ts';
import { publishedByEvidence } from './evidence.ts';
import { failuresHaveCauses } from './failures-have-causes.ts';
import { onTimeWhenQuiet } from './lateness.ts';
import { jobsAreInTime } from './jobs-in-time.ts';
import { firstCommentsAgree } from './first-comments.ts';
import { oneKeyOnePost } from './idempotency-keys.ts';
import { provenIsReported } from './proven-is-reported.ts';
import { publishedInWindow } from './in-window.ts';
import { firstChannelsAreKept } from './kept-channels.ts';
import { plansAreInForce } from './plans.ts';
import { disconnectedIsEnded } from './reconnected.ts';
import { receivedEventsAreTrue } from './received-events.ts';
import { answeredIsVisible } from './visible.ts';
import { listsAgree } from './lists-agree.ts';
import { listenersAreRight } from './listeners.ts';
import { invitationsMakeOneMember } from './invitations.ts';
import { lateCommandsChangeNothing } from './late-commands.ts';
import { liveItemsAgree } from './live-items.ts';
import { rolesAreKept } from './member-rights.ts';
import { membersAreListed } from './members-listed.ts';
import { workspacesHaveOwners } from './owners.ts';
import { noDefects } from './no-defects.ts';
import { nothingIsEarly } from './nothing-early.ts';
import { nothingIsStuck } from './nothing-stuck.ts';
import { replacedOnce } from './replaced-posts.ts';
import { heldIsNotMissed, nothingIsSentWhileHeld } from './held.ts';
import { repeatedRequestsAgree, resultsAgree } from './results-agree.ts';
import { theSamePostOnce } from './ten-minute-rule.ts';
import { timersFire, watermarksAreDoubted, watermarksOnlyRise } from './timers-fire.ts';
import { unconfirmedHasReason } from './unconfirmed.ts';
import { sendersKeepTheirDeadline } from './sent-in-time.ts';
import { usageCounts } from './usage.ts';
import { watchdogsFollowEachOther } from './watchdogs-follow.ts';
import { watermarksWait } from './watermarks-wait.ts';
import { whatFitsIsTaken } from './what-fits.ts';

export const CHECKS: readonly Check[] = [
  noDefects,
  acknowledgedPostsAreThere,
  liveItemsAgree,
  replacedOnce,
  nothingIsEarly,
  nothingIsStuck,
  nothingIsSentWhileHeld,
  heldIsNotMissed,
  resultsAgree,
  repeatedRequestsAgree,
  theSamePostOnce,
  creditsBalance,
  usageCounts,
  plansAreInForce,
  outcomesAreTold,
  listsAgree,
  watermarksOnlyRise,
  watermarksAreDoubted,
  watermarksWait,
  timersFire,
  unconfirmedHasReason,
  failuresHaveCauses,
  askedBeforeAgain,
  answersAreKept,
  sendersKeepTheirDeadline,
  publishedByEvidence,
  provenIsReported,
  onTimeWhenQuiet,
  jobsAreInTime,
  disconnectedIsEnded,
  answeredIsVisible,
  endedCredentialsAreDead,
  rolesAreKept,
  invitationsMakeOneMember,
  membersAreListed,
  workspacesHaveOwners,
  workspacesHaveRoom,
  firstCommentsAgree,
  firstChannelsAreKept,
  oneKeyOnePost,
  bulkAnswersAreTrue,
  publishedInWindow,
  channelsKeepTheirOrder,
  channelsMakeOneCallAtATime,
  listenersAreRight,
  eventsArrive,
  receivedEventsAreTrue,
  endedEndpointsGetNothing,
  attemptsAreInTime,
  deliveryRowsAreTrue,
  publishedFilesAreTrue,
  uploadsKeepTheirWord,
  filesAreReadyInTime,
  storedFilesAddUp,
  whatFitsIsTaken,
  commandsAreDecided,
  lateCommandsChangeNothing,
  watchdogsFollowEachOther,
];
