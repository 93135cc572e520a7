import type { Post, Variant } from '../../post/post.ts';
import { variantNumberOf } from '../../post/ids.ts';
import { cancelByDisconnect, markFailed, startPublishing } from '../../variant/moves.ts';
import { againAt, MAX_LEAD_MS } from '../clock-skew.ts';
import type { Effect } from '../effects.ts';
import { channelOf, endedByDisconnect } from '../post-changes.ts';
import { publishJobOf } from '../publish-job.ts';
import type { DecisionContext } from '../decision-context.ts';

const MINUTE_MS = 60_000;

/**
 * What a scheduled Variant becomes now that it is due; itself while its files are not ready and there is still time.
 */
export function comeDue({ state, now, rules }: DecisionContext, variant: Variant): Variant {
  const channel = channelOf(state, variant);
  const ended = endedByDisconnect(state, variant);
  if (ended) return cancelByDisconnect(variant, ended);
  if (channel.state !== 'connected') {
    return markFailed(
      variant,
      'needs_reconnect',
      `${channel.name} had to be reconnected when this was due. Reconnect it, then retry.`,
    );
  }
  if (now - variant.dueAt <= rules.missedWindowMs) return variant.mediaReady ? startPublishing(variant) : variant;
  const minutes = Math.round(rules.missedWindowMs / MINUTE_MS);
  if (variant.mediaReady)
    return markFailed(
      variant,
      'missed_window',
      `This could not be published within ${minutes} minutes of when it was due.`,
    );
  return markFailed(
    variant,
    'media_problem',
    `Its files were still being prepared for ${variant.network} ${minutes} minutes after it was due.`,
  );
}

/** What a Variant that came due causes, given how it is after that. */
export function dueEffects({ state, now, rules }: DecisionContext, post: Post, variant: Variant): readonly Effect[] {
  if (variant.status === 'failed') return [{ kind: 'outcome', post, variant: variantNumberOf(variant.id), at: now }];
  if (variant.status !== 'publishing') return [];
  return [{ kind: 'publish', job: publishJobOf(state.id, variant, channelOf(state, variant), rules.missedWindowMs) }];
}

/**
 * For Variants of a Post, at one attempt, that are due while their files are not ready: has the files prepared, in case
 * that was forgotten, and looks again when the missed window has ended. Files that become ready before send them on
 * their way.
 */
export function awaitMedia(
  { now, rules }: Pick<DecisionContext, 'now' | 'rules'>,
  post: Post,
  waiting: readonly Variant[],
): readonly Effect[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const variants = waiting.map(({ id }) => variantNumberOf(id));
  const ended = Math.max(...waiting.map(({ dueAt }) => dueAt)) + rules.missedWindowMs + 1;
  // This shortly before its end it was that timer, fired by a clock ahead of ours: the same again would be taken for
  // the one that fired.
  const at = ended - now < Math.min(MAX_LEAD_MS, rules.missedWindowMs / 2) ? againAt(ended, now) : ended;
  const due = { postId: post.id, attempt: first.attempt, variants };
  return [
    { kind: 'prepare-media', postId: post.id },
    { kind: 'due-timer', timerId: `media/${post.id}/${first.attempt}/${variants[0]}/${at}`, at, due },
  ];
}
