import assert from 'node:assert/strict';
import type { Post, Variant } from '../../post/post.ts';
import { cancelByDisconnect } from '../../variant/moves.ts';
import type { ContinueSweep } from '../commands.ts';
import { sweepStep } from '../disconnect.ts';
import { MAX_STEP_VARIANTS } from '../step-bounds.ts';
import type { Effect } from '../effects.ts';
import { changeVariants, endedByDisconnect, loadedPost } from '../post-changes.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { Sweep, WorkspaceState } from '../state.ts';

/**
 * One step: cancels the Variants of some Posts and names the next step, until no later week holds due Posts. Only the
 * step that the state expects counts, so a repeated command does not start a second sweep.
 */
export function continueSweep(situation: DecisionContext, command: ContinueSweep): DecideResult {
  const { state, view } = situation;
  const sweep = state.sweeps.find(({ id }) => id === command.sweepId);
  if (!sweep || sweep.next.dueWeek !== command.dueWeek || sweep.next.afterPostId !== command.afterPostId)
    return unchanged(state);
  assert(view.dueWeek, `the due week of sweep ${sweep.id} was not loaded`);
  const walked = walk(situation, sweep, view.dueWeek.postIds);
  const next = nextStep(sweep, {
    last: walked.last,
    ended: walked.whole && view.dueWeek.ended,
    weeks: view.dueWeek.weeks,
  });
  const effects = next
    ? [...walked.effects, { kind: 'command', command: sweepStep(state.id, next) } as const]
    : walked.effects;
  const sweeps = state.sweeps.flatMap((each) => (each.id !== sweep.id ? [each] : next ? [next] : []));
  return { state: { ...walked.state, sweeps }, posts: walked.posts, result: null, effects, rest: null };
}

interface Walked {
  readonly state: WorkspaceState;
  readonly posts: readonly Post[];
  readonly effects: readonly Effect[];
  /** The last Post that was looked at. */
  readonly last: string | null;
  readonly whole: boolean;
}

/** Stops after the Post with which the step is full, so that a step is bounded however many Variants its Posts have. */
function walk(situation: DecisionContext, sweep: Sweep, postIds: readonly string[]): Walked {
  const swept = new Set(sweep.channelIds);
  const posts: Post[] = [];
  const effects: Effect[] = [];
  let { state } = situation;
  let [count, last]: [number, string | null] = [0, null];
  for (const postId of postIds) {
    if (count >= MAX_STEP_VARIANTS) return { state, posts, effects, last, whole: false };
    last = postId;
    const post = loadedPost(situation.view, postId);
    const ended: Variant[] = [];
    for (const variant of post?.variants ?? []) {
      const disconnect =
        variant.status === 'scheduled' && swept.has(variant.channelId) ? endedByDisconnect(state, variant) : null;
      if (disconnect) ended.push(cancelByDisconnect(variant, disconnect));
    }
    if (post === null || ended.length === 0) continue;
    const change = changeVariants(state, post, ended);
    state = change.state;
    posts.push(change.post);
    effects.push(change.effect);
    count += ended.length;
  }
  return { state, posts, effects, last, whole: true };
}

interface Reached {
  readonly last: string | null;
  readonly ended: boolean;
  /** Later weeks that hold due Posts, ascending. */
  readonly weeks: readonly number[];
}

/** null: the sweep is over. */
function nextStep(sweep: Sweep, at: Reached): Sweep | null {
  if (!at.ended) {
    assert(at.last !== null, `sweep ${sweep.id} got no Post of a week that goes on`);
    return { ...sweep, next: { dueWeek: sweep.next.dueWeek, afterPostId: at.last } };
  }
  const week = at.weeks.find((each) => each > sweep.next.dueWeek);
  return week === undefined ? null : { ...sweep, next: { dueWeek: week, afterPostId: null } };
}
