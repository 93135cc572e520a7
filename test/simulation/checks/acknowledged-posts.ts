import { readPost } from '#tables/repositories/posts.ts';
import type { Check, Violation } from '../aftermath.ts';

/** Every acknowledged Post can be read, and has the content that was sent. */
export const acknowledgedPostsAreThere: Check = async ({ world, history }) => {
  const violations: Violation[] = [];
  for (const entry of history.of('create')) {
    if (entry.seen !== 'ok' || entry.postId === null) continue;
    const post = await readPost(world.truth, entry.workspaceId, entry.postId);
    const about = [entry.postId.slice(0, -2), entry.text];
    const complain = (detail: string): void =>
      void violations.push({ check: 'acknowledged Posts are there', detail, about });
    if (post === null) {
      complain(`post ${entry.postId} was acknowledged and is gone`);
      continue;
    }
    if (post.text !== entry.text || post.scheduledAt !== entry.scheduledAt)
      complain(`post ${post.id} differs from what was sent`);
    const channels = post.variants.map(({ channelId }) => channelId);
    // The 10-minute rule compares the Channels as a set. A Post is moved for those that are left to it.
    const areNamed = entry.isMove
      ? channels.every((id) => entry.channelIds.includes(id))
      : channels.toSorted().join() === entry.channelIds.toSorted().join();
    if (!areNamed) complain(`post ${post.id} has other Channels than were named`);
  }
  return violations;
};
