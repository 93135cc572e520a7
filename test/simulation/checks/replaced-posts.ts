import type { Post } from '#domain/post/post.ts';
import type { Aftermath, Check, Violation } from '../aftermath.ts';
import type { CreateEntry } from '../history.ts';

/**
 * A Post that clients replaced has one successor at most, and then nothing of it was published or may be. Where it was
 * cancelled and has none, a cancel or a Disconnect was the cause.
 */
export const replacedOnce: Check = (after) => {
  const violations: Violation[] = [];
  for (const [postId, edits] of editsByPost(after)) {
    const post = after.posts.get(edits[0]!.workspaceId)?.find(({ id }) => id === postId);
    const detail = post === undefined ? null : whatIsWrong(after, post, successorsOf(after, postId, edits));
    const about = [postId.slice(0, -2), ...edits.map(({ text }) => text)];
    if (detail !== null)
      violations.push({ check: 'a Post is replaced once', detail: `post ${postId} ${detail}`, about });
  }
  return violations;
};

/** Null: nothing is. */
function whatIsWrong({ history }: Aftermath, post: Post, successors: readonly Post[]): string | null {
  const successorIds = successors.map(({ id }) => id).join(', ');
  if (successors.length > 1) return `was replaced by ${successors.length} Posts: ${successorIds}`;
  const kept = post.variants.filter(({ status }) => status !== 'cancelled');
  if (successors.length === 1)
    return kept.length === 0 ? null : `was replaced by ${successorIds}, and is ${kept.map(({ status }) => status)[0]}`;
  const isCancelled = history.of('cancel').some(({ postId, seen }) => postId === post.id && seen !== 'refused');
  const isEnded = ({ status, cancelledByDisconnect }: Post['variants'][number]): boolean =>
    status !== 'cancelled' || cancelledByDisconnect !== null;
  return isCancelled || post.variants.every(isEnded) ? null : 'was cancelled for a successor that is not there';
}

/** What clients asked to have in place of a Post, by that Post. */
function editsByPost({ history }: Pick<Aftermath, 'history'>): ReadonlyMap<string, readonly CreateEntry[]> {
  return Map.groupBy(
    history.of('create').filter(({ replaces }) => replaces !== null),
    ({ replaces }) => replaces!,
  );
}

function successorsOf(
  { posts }: Pick<Aftermath, 'posts'>,
  postId: string,
  edits: readonly CreateEntry[],
): readonly Post[] {
  const all = posts.get(edits[0]!.workspaceId) ?? [];
  // No two Posts of a client say the same and are due at the same instant.
  return all.filter(
    (post) =>
      post.id !== postId &&
      edits.some(({ text, scheduledAt }) => text === post.text && scheduledAt === post.scheduledAt),
  );
}

/** The Posts that were created in the place of others. */
export function allSuccessors(after: Pick<Aftermath, 'history' | 'posts'>): ReadonlySet<Post> {
  return new Set([...editsByPost(after)].flatMap(([postId, edits]) => successorsOf(after, postId, edits)));
}
