import type { Post, Variant } from '../../post/post.ts';
import { variantNumberOf } from '../../post/ids.ts';
import { cancelByDisconnect, markFailed, startPublishing } from '../../variant/moves.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { DuePost, VariantsDue } from '../commands.ts';
import { dueStepOf } from '../due-step.ts';
import type { Effect } from '../effects.ts';
import { changeVariants, channelOf, endedByDisconnect, loadedPost, variantOf } from '../post-changes.ts';
import { publishJobOf } from '../publish-job.ts';
import type { Outcome, Situation } from '../situation.ts';
import type { WorkspaceState } from '../state.ts';

const MINUTE_MS = 60_000;

/** Whatever is not `scheduled` at the attempt that is due was handled, cancelled or retried meanwhile, and is left alone. */
export function variantsDue(situation: Situation, command: VariantsDue): Outcome {
  const { posts: step, rest } = dueStepOf(command);
  const posts = new Map<string, Post>();
  const effects: Effect[] = [];
  let state = situation.state;
  for (const due of step) {
    const post = posts.get(due.postId) ?? loadedPost(situation.view, due.postId);
    if (post === null) continue;
    const handled = duePost({ ...situation, state }, post, due);
    state = handled.state;
    effects.push(...handled.effects);
    if (handled.post !== post) posts.set(post.id, handled.post);
  }
  return { state, posts: [...posts.values()], result: null, effects, rest };
}

function duePost(situation: Situation, post: Post, due: DuePost): { state: WorkspaceState; post: Post; effects: Effect[] } {
  const { state, now, rules } = situation;
  const named = due.variants.map((number) => variantOf(post, number)).filter((variant) => variant !== undefined);
  const current = named.filter(({ status, attempt }) => status === 'scheduled' && attempt === due.attempt);
  // The scheduler's clock says what is due, and may be a little ahead of this one: only a clock that was put back sets it again.
  const early = current.filter((variant) => variant.dueAt - now > CLOCK_SKEW_MS);
  const effects: Effect[] = early.length === 0 ? [] : [setAgain(post, due, early, now)];
  const changed = current.filter((variant) => !early.includes(variant)).map((variant) => next(situation, variant));
  if (changed.length === 0) return { state, post, effects };
  const change = changeVariants(state, post, changed);
  effects.push(change.effect);
  for (const variant of changed) {
    if (variant.status === 'publishing') {
      effects.push({ kind: 'publish', job: publishJobOf(state.id, variant, channelOf(state, variant), rules.missedWindowMs) });
    } else if (variant.status === 'failed') {
      effects.push({ kind: 'outcome', post: change.post, variant: variantNumberOf(variant.id), at: now });
    }
  }
  return { state: change.state, post: change.post, effects };
}

function next({ state, now, rules }: Situation, variant: Variant): Variant {
  const channel = channelOf(state, variant);
  const ended = endedByDisconnect(state, variant);
  if (ended) return cancelByDisconnect(variant, ended);
  if (channel.state !== 'connected') {
    return markFailed(variant, 'needs_reconnect', `${channel.name} had to be reconnected when this was due. Reconnect it, then retry.`);
  }
  if (now - variant.dueAt > rules.missedWindowMs) {
    const minutes = Math.round(rules.missedWindowMs / MINUTE_MS);
    return markFailed(variant, 'missed_window', `This could not be published within ${minutes} minutes of when it was due.`);
  }
  return startPublishing(variant);
}

/** The timer has fired under its first id, so this one needs another. */
function setAgain(post: Post, due: DuePost, early: readonly Variant[], now: number): Effect {
  const at = Math.max(...early.map((variant) => variant.dueAt));
  const variants = early.map((variant) => variantNumberOf(variant.id));
  return { kind: 'due-timer', timerId: `due/${post.id}/${due.attempt}/${variants[0]}/${now}`, at, due: { ...due, variants } };
}
