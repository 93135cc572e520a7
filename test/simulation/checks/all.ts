import type { Check } from '../aftermath.ts';
import { acknowledgedPostsAreThere } from './acknowledged-posts.ts';
import { askedBeforeAgain } from './asked-before-again.ts';
import { channelsKeepTheirOrder, channelsMakeOneCallAtATime } from './channel-order.ts';
import { creditsBalance } from './credits.ts';
import { outcomesAreTold } from './events.ts';
import { endedCredentialsAreDead } from './ended-credentials.ts';
import { publishedByEvidence } from './evidence.ts';
import { failuresHaveCauses } from './failures-have-causes.ts';
import { onTimeWhenQuiet } from './lateness.ts';
import { firstCommentsAgree } from './first-comments.ts';
import { oneKeyOnePost } from './idempotency-keys.ts';
import { publishedInWindow } from './in-window.ts';
import { firstChannelsAreKept } from './kept-channels.ts';
import { disconnectedIsEnded } from './reconnected.ts';
import { answeredIsVisible } from './visible.ts';
import { listsAgree } from './lists-agree.ts';
import { liveItemsAgree } from './live-items.ts';
import { noDefects } from './no-defects.ts';
import { nothingIsEarly } from './nothing-early.ts';
import { nothingIsStuck } from './nothing-stuck.ts';
import { heldIsNotMissed, nothingIsSentWhileHeld } from './held.ts';
import { repeatedRequestsAgree, resultsAgree } from './results-agree.ts';
import { theSamePostOnce } from './ten-minute-rule.ts';
import { timersFire, watermarksOnlyRise } from './timers-fire.ts';
import { unconfirmedHasReason } from './unconfirmed.ts';
import { usageCounts } from './usage.ts';

export const CHECKS: readonly Check[] = [
  noDefects,
  acknowledgedPostsAreThere,
  liveItemsAgree,
  nothingIsEarly,
  nothingIsStuck,
  nothingIsSentWhileHeld,
  heldIsNotMissed,
  resultsAgree,
  repeatedRequestsAgree,
  theSamePostOnce,
  creditsBalance,
  usageCounts,
  outcomesAreTold,
  listsAgree,
  watermarksOnlyRise,
  timersFire,
  unconfirmedHasReason,
  failuresHaveCauses,
  askedBeforeAgain,
  publishedByEvidence,
  onTimeWhenQuiet,
  disconnectedIsEnded,
  answeredIsVisible,
  endedCredentialsAreDead,
  firstCommentsAgree,
  firstChannelsAreKept,
  oneKeyOnePost,
  publishedInWindow,
  channelsKeepTheirOrder,
  channelsMakeOneCallAtATime,
];
