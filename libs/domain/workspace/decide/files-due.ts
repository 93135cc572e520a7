import { assetsOfPost } from '../../post/covers.ts';
import { hasEnded, type Post } from '../../post/post.ts';
import { againAt, CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { FilesDue } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { loaded, loadedPost } from '../post-changes.ts';
import { removeAssets } from '../remove-assets.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

/**
 * Removes the files of a Post that ended long ago, or that is there no more. When the Post goes on, or went on since
 * the timer was set, nothing is removed, and its next end sets a timer again.
 */
export function filesDue({ state, view, now }: DecisionContext, command: FilesDue): DecideResult {
  const post = loadedPost(view, command.postId);
  const assets = command.assetIds
    .map((id) => loaded(view.assets, id))
    .filter((asset) => asset !== null)
    .filter((asset) => asset.postId === command.postId);
  // It was removed as a whole, and left files that it did not show, such as a cover.
  if (post === null) return { ...unchanged(state), ...removeAssets(state, assets, 'over') };
  if (!hasEnded(post) || attemptsOf(post) !== command.attempts) return unchanged(state);
  if (command.dueAt - now > CLOCK_SKEW_MS)
    return { ...unchanged(state), effects: [timer(post, command.dueAt, againAt(command.dueAt, now))] };
  const gone = removeAssets(state, assets, 'over');
  // A successor may have taken all of them over. A Post that went on naming them would never be removed.
  if (gone.effects.length === 0 && post.media.every(({ stored }) => stored === null)) return unchanged(state);
  const next: Post = { ...post, media: post.media.map((file) => ({ ...file, stored: null })) };
  return {
    state: gone.state,
    posts: [next],
    result: null,
    effects: [...gone.effects, { kind: 'content-changed', post: next }],
    rest: null,
  };
}

/** For each Post with files that ended by this: the timer of its files. */
export function endingTimers({ now, rules }: DecisionContext, posts: readonly Post[]): readonly Effect[] {
  const at = now + rules.filesKeptMs;
  return posts.flatMap((post) => (post.media.length > 0 && hasEnded(post) ? [timer(post, at, at)] : []));
}

function timer(post: Post, dueAt: number, at: number): Effect {
  return {
    kind: 'files-timer',
    postId: post.id,
    assetIds: assetsOfPost(post),
    attempts: attemptsOf(post),
    dueAt,
    at,
  };
}

/** Grows with every retry: the same number is the same end. */
function attemptsOf({ variants }: Post): number {
  return variants.reduce((sum, { attempt }) => sum + attempt, 0);
}
