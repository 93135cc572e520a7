import { isDeepStrictEqual } from 'node:util';
import { readPost } from '#tables/repositories/posts.ts';
import type { Check, Violation } from '../aftermath.ts';

/** The pages of the list hold every Post once, newest first, with the same content as a read of it. */
export const listsAgree: Check = async ({ world, posts, history }) => {
  const violations: Violation[] = [];
  const complain = (detail: string, about: readonly string[]): void =>
    void violations.push({ check: 'lists agree with reads', detail, about });
  for (const [workspaceId, listed] of posts) {
    const ids = listed.map(({ id }) => id);
    if (!isDeepStrictEqual(ids, [...new Set(ids)].toSorted().toReversed()))
      complain(`the list of ${workspaceId} is out of order or repeats itself`, [workspaceId]);
    for (const post of listed) {
      if (!isDeepStrictEqual(post, await readPost(world.truth, workspaceId, post.id)))
        complain(`post ${post.id} differs between list and read`, [post.id.slice(0, -2)]);
    }
    for (const { seen, postId, workspaceId: of } of history.of('create')) {
      if (seen === 'ok' && of === workspaceId && postId !== null && !ids.includes(postId))
        complain(`post ${postId} is not in the list`, [postId.slice(0, -2)]);
    }
  }
  return violations;
};
