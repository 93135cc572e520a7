import { goodAddresses, type Post } from '../../post/post.ts';
import type { VoidFileAddresses } from '../commands.ts';
import { authorize, refuse, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import { loadedPost } from '../post-changes.ts';
import type { Result } from '../results.ts';

/** Addresses that are void already stay so, and a Post without files has none: both are a success without a change. */
export function voidFileAddresses({ state, view }: DecisionContext, command: VoidFileAddresses): DecideResult {
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const post = loadedPost(view, command.postId);
  if (post === null) return refuse(state, 'not_found', 'There is no such Post.');
  const result: Result = { ok: true, kind: 'post', postId: post.id, replayed: false };
  if (post.media.length === 0 || goodAddresses(post) === null) return unchanged(state, result);
  const next: Post = { ...post, addressVersion: (post.addressVersion ?? 0) + 1 };
  return { state, posts: [next], result, effects: [{ kind: 'content-changed', post: next }], rest: null };
}
