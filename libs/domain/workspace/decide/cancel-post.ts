import type { Variant } from '../../post/post.ts';
import { cancel, cancelByDisconnect } from '../../variant/moves.ts';
import type { CancelPost } from '../commands.ts';
import { changedTo, changeVariants, endedByDisconnect, loadedPost } from '../post-changes.ts';
import { refuse, authorize, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

/**
 * Cancels queued Variants; those that are publishing or have ended stay. Variants that a Disconnect ended before are
 * written as cancelled by it, and do not make the cancel succeed.
 */
export function cancelPost({ state, view }: DecisionContext, command: CancelPost): DecideResult {
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const post = loadedPost(view, command.postId);
  if (post === null) return refuse(state, 'not_found', 'There is no such Post.');
  const changed: Variant[] = [];
  let cancelledHere = 0;
  for (const variant of post.variants) {
    if (variant.status !== 'scheduled' && variant.status !== 'draft') continue;
    const ended = endedByDisconnect(state, variant);
    if (ended === null) cancelledHere += 1;
    changed.push(ended ? cancelByDisconnect(variant, ended) : cancel(variant, command.issuedAt));
  }
  if (cancelledHere === 0) {
    return refuse(
      state,
      'not_cancellable',
      'Nothing of this Post is scheduled any more, so there is nothing to cancel.',
    );
  }
  const change = changeVariants(state, post, changed);
  return changedTo(change, { ok: true, kind: 'post', postId: post.id, replayed: false });
}
