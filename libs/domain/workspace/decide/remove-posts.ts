import { hasEnded, type Post, type Variant } from '../../post/post.ts';
import { spendHeldBy } from '../../plan/credits.ts';
import type { RemovePosts } from '../turn-step.ts';
import type { Effect } from '../effects.ts';
import { loadedPost } from '../post-changes.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

/**
 * Removes those of the Posts that ended long ago, whatever its sender saw of them: a Variant may have been retried
 * since. A Post whose files are still stored stays until they are removed, because their removal goes by the Post.
 */
export function removePosts({ state, view, now, rules }: DecisionContext, command: RemovePosts): DecideResult {
  const over = command.postIds.flatMap((id) => {
    const post = loadedPost(view, id);
    return post !== null && isOver(post, now - rules.postsKeptMs) ? [post] : [];
  });
  const removed = over.map((post): Effect => ({ kind: 'post-removed', post }));
  const xCredits = spendHeldBy(
    state.xCredits,
    over.flatMap(({ variants }) => variants),
  );
  const { days, weeks } = command.empty;
  const emptied: Effect[] = days.length + weeks.length === 0 ? [] : [{ kind: 'days-emptied', days, weeks }];
  const next = xCredits === state.xCredits ? state : { ...state, xCredits };
  return { ...unchanged(next), effects: [...removed, ...emptied] };
}

/** Whether all of a Post ended before `instant`, as far as the Post itself tells, and nothing is stored for it. */
export function isOver(post: Post, instant: number): boolean {
  return (
    hasEnded(post) &&
    post.media.every(({ stored }) => stored === null) &&
    post.variants.every(
      (variant) => Math.max(variant.dueAt, variant.cancelledAt ?? 0) < instant && !hasCommentToCome(variant),
    ) &&
    post.createdAt < instant
  );
}

/** The comment of a Variant that did not go live waits for nothing any more. */
function hasCommentToCome({ status, firstComment }: Variant): boolean {
  return status === 'published' && firstComment?.status === 'waiting';
}
