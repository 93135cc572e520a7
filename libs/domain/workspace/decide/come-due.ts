import type { FailureReason, Post, Variant } from '../../post/post.ts';
import { variantNumberOf } from '../../post/ids.ts';
import { heldMs, isHeld } from '../../publishing-holds.ts';
import { mayBePublishedElsewhere } from '../../restoration.ts';
import { NOT_PUBLISHED_AGAIN, unknownSinceBackup } from '../../variant/may-be-live.ts';
import { cancelByDisconnect, keepBack, letGo, markFailed, startPublishing } from '../../variant/moves.ts';
import { againAt, MAX_LEAD_MS } from '../clock-skew.ts';
import type { Effect } from '../effects.ts';
import { channelOf, endedByDisconnect } from '../post-changes.ts';
import { publishJobOf } from '../publish-job.ts';
import type { DecisionContext } from '../decision-context.ts';

const MINUTE_MS = 60_000;
/** How long files that are waited for may be on their way before they are asked for again. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS;

type HoldContext = Pick<DecisionContext, 'state' | 'holds'>;

/**
 * Whether a Variant that is due has to wait: publishing is held, or others of its Channel that were kept back before
 * are not on their way yet, which it must not overtake.
 */
export function mustWait({ state, holds }: HoldContext, { network, channelId, hold }: Variant): boolean {
  if (isHeld(holds, { network, workspaceId: state.id })) return true;
  return hold === undefined && (state.held?.[channelId]?.waiting ?? 0) > 0;
}

/** How long after its instant a Variant may still be published: the window stands still while publishing is held. */
function windowOf({ state, holds, now, rules }: Omit<DecisionContext, 'view'>, { network, dueAt }: Variant): number {
  return rules.missedWindowMs + heldMs(holds, { network, workspaceId: state.id }, { from: dueAt, to: now });
}

/**
 * A scheduled Variant after it came due: kept back while publishing is held, else scheduled as it is while its files
 * are not ready and the missed window has not ended.
 */
export function comeDue(situation: DecisionContext, due: Variant): Variant {
  const { state, now, rules, restoration } = situation;
  const channel = channelOf(state, due);
  const ended = endedByDisconnect(state, due);
  if (ended) return cancelByDisconnect(due, ended);
  if (mustWait(situation, due)) return keepBack(due);
  const variant = letGo(due);
  if (channel.state !== 'connected') {
    const why = `${channel.name} had to be reconnected when this was due`;
    return endUnpublished(situation, variant, { reason: 'needs_reconnect', why, advice: ' Reconnect it, then retry.' });
  }
  const isInTime = now - variant.dueAt <= windowOf(situation, variant);
  // What may be live already is not late: the publisher asks the Network, and judges the window if it is not live.
  if (variant.mediaReady && (isInTime || mayBePublishedElsewhere(restoration, variant, now)))
    return startPublishing(variant);
  if (isInTime) return variant;
  const minutes = Math.round(rules.missedWindowMs / MINUTE_MS);
  if (variant.mediaReady) {
    const detail = `This could not be published within ${minutes} minutes of when it was due.`;
    return markFailed(variant, 'missed_window', detail);
  }
  const why = `Its files were still being prepared for ${variant.network} ${minutes} minutes after it was due`;
  return endUnpublished(situation, variant, { reason: 'media_problem', why });
}

interface WhyUnpublished {
  readonly reason: FailureReason;
  /** A sentence without its full stop. */
  readonly why: string;
  readonly advice?: string;
}

/** Failed without asking its Network. Where another installation may have published it, nothing but that is known. */
function endUnpublished(
  { restoration, now }: Pick<DecisionContext, 'restoration' | 'now'>,
  variant: Variant,
  { reason, why, advice = '' }: WhyUnpublished,
): Variant {
  if (!mayBePublishedElsewhere(restoration, variant, now)) return markFailed(variant, reason, `${why}.${advice}`);
  const isGivenUp = restoration?.released?.overdue === 'fail';
  return markFailed(variant, 'unconfirmed', isGivenUp ? NOT_PUBLISHED_AGAIN : unknownSinceBackup(why));
}

/** The effects of a Variant that came due, given what it became. */
export function dueEffects({ state, now, rules }: DecisionContext, post: Post, variant: Variant): readonly Effect[] {
  if (variant.status === 'failed') return [{ kind: 'outcome', post, variant: variantNumberOf(variant.id), at: now }];
  if (variant.status !== 'publishing') return [];
  return [{ kind: 'publish', job: publishJobOf(state.id, variant, channelOf(state, variant), rules.missedWindowMs) }];
}

/**
 * For Variants of a Post, at one attempt, that are due while their files are not ready: the files are prepared again,
 * in case that job or its report was lost, and timers are set for the next look and for the end of the missed window.
 * Files that become ready before that publish the Variants.
 */
export function awaitMedia(
  situation: Omit<DecisionContext, 'view'>,
  post: Post,
  waiting: readonly Variant[],
): readonly Effect[] {
  const { now, rules } = situation;
  const [first] = waiting;
  if (first === undefined) return [];
  const variants = waiting.map(({ id }) => variantNumberOf(id));
  const ended = Math.max(...waiting.map((variant) => variant.dueAt + windowOf(situation, variant))) + 1;
  // This close to the end, it was the timer for the end that brought us here, from a scheduler whose clock is ahead.
  // That scheduler would take a timer of the same name and instant for the one that it fired.
  const at = ended - now < Math.min(MAX_LEAD_MS, rules.missedWindowMs / 2) ? againAt(ended, now) : ended;
  const nextLooks = now + LOOK_AGAIN_MS < ended ? [now + LOOK_AGAIN_MS] : [];
  const due = { postId: post.id, attempt: first.attempt, variants };
  const timerAt = (instant: number): Effect => ({
    kind: 'due-timer',
    timerId: `media/${post.id}/${first.attempt}/${variants[0]}/${instant}`,
    at: instant,
    due,
  });
  return [{ kind: 'prepare-media', postId: post.id }, ...[at, ...nextLooks].map(timerAt)];
}
