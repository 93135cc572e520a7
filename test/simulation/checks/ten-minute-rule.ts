import type { Post, Variant } from '#domain/post/post.ts';
import type { Check, Violation } from '../aftermath.ts';
import { DUPLICATE_WINDOW_MS } from '../world.ts';

/**
 * The same Post is not created twice within ten minutes, unless the first one was cancelled completely before the
 * second was requested.
 */
export const theSamePostOnce: Check = ({ posts }) => {
  const violations: Violation[] = [];
  for (const ofWorkspace of posts.values()) {
    for (const [one, other] of pairs(ofWorkspace)) {
      if (one.digest !== other.digest || Math.abs(one.createdAt - other.createdAt) >= DUPLICATE_WINDOW_MS) continue;
      if (cancelledBefore(one, other) || cancelledBefore(other, one)) continue;
      violations.push({
        check: 'the same Post once',
        detail: `posts ${one.id} and ${other.id} are the same, within the window`,
        about: [one.id.slice(0, -2), other.id.slice(0, -2)],
      });
    }
  }
  return violations;
};

function* pairs(posts: readonly Post[]): Generator<[Post, Post]> {
  for (const [index, one] of posts.entries()) for (const other of posts.slice(index + 1)) yield [one, other];
}

function cancelledBefore(post: Post, other: Post): boolean {
  return post.variants.every(
    (variant) =>
      variant.cancelledAt !== null &&
      (variant.cancelledAt <= other.createdAt || isEndedByDisconnectBefore(variant, other)),
  );
}

/**
 * A Disconnect ends what is queued at once. Where the Channel was reconnected and disconnected again before the row was
 * written, the row has the time of the second one, and only the count of Disconnects tells of the first.
 */
function isEndedByDisconnectBefore(ended: Variant, other: Post): boolean {
  const later = other.variants.find(({ channelId }) => channelId === ended.channelId);
  return ended.cancelledByDisconnect !== null && (later?.channelDisconnects ?? 0) > ended.channelDisconnects;
}
