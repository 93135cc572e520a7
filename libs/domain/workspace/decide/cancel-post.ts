import { cancelQueued } from '../cancel-queued.ts';
import type { CancelPost } from '../commands.ts';
import { changedTo, changeVariants, loadedPost } from '../post-changes.ts';
import { refuse, authorize, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

/**
 * Cancels queued Variants; those that are publishing or have ended stay. Variants that a Disconnect ended before do not
 * make the cancel succeed.
 */
export function cancelPost({ state, view }: DecisionContext, command: CancelPost): DecideResult {
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const post = loadedPost(view, command.postId);
  if (post === null) return refuse(state, 'not_found', 'There is no such Post.');
  const { changed, endsAny } = cancelQueued(state, post, command.issuedAt);
  if (!endsAny) {
    return refuse(
      state,
      'not_cancellable',
      'Nothing of this Post is scheduled any more, so there is nothing to cancel.',
    );
  }
  const change = changeVariants(state, post, changed);
  return changedTo(change, { ok: true, kind: 'post', postId: post.id, replayed: false });
}
