import type { Post, Variant } from '../../post/post.ts';
import { variantNumberOf } from '../../post/ids.ts';
import { roughBytesOf } from '../../post/weight.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { DuePost, VariantsDue } from '../commands.ts';
import { dueStepOf } from '../due-step.ts';
import type { Effect } from '../effects.ts';
import { changeVariants, loadedPost, variantOf } from '../post-changes.ts';
import type { DecideResult, DecisionContext } from '../decision-context.ts';
import type { WorkspaceState } from '../state.ts';
import { timersAfterEarly } from '../woken-early.ts';
import { awaitMedia, comeDue, dueEffects } from './come-due.ts';

/** About how many bytes the events of one step may have: each holds its whole Post. */
const OUTCOME_BYTES = 256 * 1024;

/**
 * A Variant that is not `scheduled` at the due attempt was handled, cancelled or retried meanwhile, and stays as it
 * is. A step ends early when its events have grown large.
 */
export function variantsDue(situation: DecisionContext, command: VariantsDue): DecideResult {
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
      const unhandled = [
        { ...due, variants: handled.left },
        ...step.posts.slice(index + 1),
        ...(step.rest?.posts ?? []),
      ];
      const left = unhandled.filter(({ variants }) => variants.length > 0);
      return {
        state,
        posts: [...posts.values()],
        result: null,
        effects,
        rest: left.length === 0 ? null : { ...command, posts: left },
      };
    }
  }
  return { state, posts: [...posts.values()], result: null, effects, rest: step.rest };
}

interface DueResult {
  readonly state: WorkspaceState;
  readonly post: Post;
  readonly effects: readonly Effect[];
  readonly room: number;
  /** Variants that had no room. */
  readonly left: readonly number[];
}

function duePost(situation: DecisionContext, post: Post, due: DuePost, room: number): DueResult {
  const { state, now } = situation;
  const changed: Variant[] = [];
  const early: Variant[] = [];
  const waiting: Variant[] = [];
  let [roomLeft, taken] = [room, 0];
  for (const number of due.variants) {
    if (roomLeft <= 0) break;
    taken += 1;
    const variant = variantOf(post, number);
    if (variant?.status !== 'scheduled' || variant.attempt !== due.attempt) continue;
    // The scheduler's clock decides what is due, and may be a little ahead of ours: the timer is set again only when
    // it fired earlier than clocks can differ.
    if (variant.dueAt - now > CLOCK_SKEW_MS) {
      early.push(variant);
      continue;
    }
    const after = comeDue(situation, variant);
    if (after.status === 'failed') roomLeft -= roughBytesOf(post);
    if (after !== variant) changed.push(after);
    if (after.status === 'scheduled' && after.hold?.waiting !== true) waiting.push(after);
  }
  const left = { left: due.variants.slice(taken), room: roomLeft };
  const again: Effect[] = [
    ...(early.length === 0 ? [] : setAgain(post, due, early, now)),
    ...awaitMedia(situation, post, waiting),
  ];
  if (changed.length === 0) return { state, post, effects: again, ...left };
  const change = changeVariants(state, post, changed);
  const following = changed.flatMap((variant) =>
    dueEffects({ ...situation, state: change.state }, change.post, variant),
  );
  return { state: change.state, post: change.post, effects: [...again, change.effect, ...following], ...left };
}

/** Under the same name each time: of those that are set once more, a scheduler fires none twice. */
function setAgain(post: Post, due: DuePost, early: readonly Variant[], now: number): readonly Effect[] {
  const dueAt = Math.max(...early.map((variant) => variant.dueAt));
  const variants = early.map((variant) => variantNumberOf(variant.id));
  const timerId = `due/${post.id}/${due.attempt}/${variants[0]}/early`;
  return timersAfterEarly(dueAt, now).map((at) => ({ kind: 'due-timer', timerId, at, due: { ...due, variants } }));
}
