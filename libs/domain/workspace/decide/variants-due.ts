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

/** What the outcomes of one step may weigh, about: each carries its whole Post. */
const OUTCOME_BYTES = 256 * 1024;

/** UTF-8 of the text at its worst, and the fields of a Variant at their usual length. */
function outcomeBytes(post: Post): number {
  return 3 * post.text.length + 800 * post.variants.length;
}

/**
 * Whatever is not `scheduled` at the attempt that is due was handled, cancelled or retried meanwhile, and is left alone.
 * A step ends early when the outcomes it causes have grown heavy.
 */
export function variantsDue(situation: Situation, command: VariantsDue): Outcome {
  const step = dueStepOf(command);
  const posts = new Map<string, Post>();
  const effects: Effect[] = [];
  let state = situation.state;
  let room = OUTCOME_BYTES;
  for (const [index, due] of step.posts.entries()) {
    const post = posts.get(due.postId) ?? loadedPost(situation.view, due.postId);
    if (post === null) continue;
    const handled = duePost({ ...situation, state }, post, due, room);
    state = handled.state;
    room = handled.room;
    effects.push(...handled.effects);
    if (handled.post !== post) posts.set(post.id, handled.post);
    if (room <= 0) {
      const unhandled = [{ ...due, variants: handled.left }, ...step.posts.slice(index + 1), ...(step.rest?.posts ?? [])];
      const left = unhandled.filter(({ variants }) => variants.length > 0);
      return { state, posts: [...posts.values()], result: null, effects, rest: left.length === 0 ? null : { ...command, posts: left } };
    }
  }
  return { state, posts: [...posts.values()], result: null, effects, rest: step.rest };
}

interface Handled {
  readonly state: WorkspaceState;
  readonly post: Post;
  readonly effects: readonly Effect[];
  readonly room: number;
  /** Variants that had no room. */
  readonly left: readonly number[];
}

function duePost(situation: Situation, post: Post, due: DuePost, room: number): Handled {
  const { state, now, rules } = situation;
  const changed: Variant[] = [];
  const early: Variant[] = [];
  let [roomLeft, taken] = [room, 0];
  for (const number of due.variants) {
    if (roomLeft <= 0) break;
    taken += 1;
    const variant = variantOf(post, number);
    if (variant?.status !== 'scheduled' || variant.attempt !== due.attempt) continue;
    // The scheduler's clock says what is due, and may be a little ahead of this one: only a clock that was put back sets it again.
    if (variant.dueAt - now > CLOCK_SKEW_MS) {
      early.push(variant);
      continue;
    }
    const after = next(situation, variant);
    if (after.status === 'failed') roomLeft -= outcomeBytes(post);
    changed.push(after);
  }
  const left = { left: due.variants.slice(taken), room: roomLeft };
  const again: Effect[] = early.length === 0 ? [] : [setAgain(post, due, early, now)];
  if (changed.length === 0) return { state, post, effects: again, ...left };
  const change = changeVariants(state, post, changed);
  const following = changed.flatMap((variant): Effect[] => {
    if (variant.status === 'failed') return [{ kind: 'outcome', post: change.post, variant: variantNumberOf(variant.id), at: now }];
    if (variant.status !== 'publishing') return [];
    return [{ kind: 'publish', job: publishJobOf(state.id, variant, channelOf(state, variant), rules.missedWindowMs) }];
  });
  return { state: change.state, post: change.post, effects: [...again, change.effect, ...following], ...left };
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

/** A lead of more than this is no skew: the price of a clock that was put back further is this much lateness. */
const LONGEST_LEAD_MS = 5 * MINUTE_MS;

/**
 * The timer has fired under its first id, so this one needs another; and by a clock that leads ours by as much as it came early, so it
 * is set later by that much: set for the same instant it would fire at once, again and again, for as long as the lead lasts.
 */
function setAgain(post: Post, due: DuePost, early: readonly Variant[], now: number): Effect {
  const dueAt = Math.max(...early.map((variant) => variant.dueAt));
  const at = dueAt + Math.min(dueAt - now, LONGEST_LEAD_MS);
  const variants = early.map((variant) => variantNumberOf(variant.id));
  return { kind: 'due-timer', timerId: `due/${post.id}/${due.attempt}/${variants[0]}/${now}`, at, due: { ...due, variants } };
}
