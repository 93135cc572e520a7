import { isPostId } from '#domain/post/ids.ts';
import type { PostBody } from '#domain/post/render.ts';
import type { ApiCall } from './caller.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import type { ReadBackOptions } from './read-back.ts';
import { showPost } from './show-posts.ts';

export const NO_POST = failed('not_found', 'There is no such Post in this Workspace.');

/** One Post as it is now. */
export function getPost(call: ApiCall, postId: string, options: ReadBackOptions): Promise<UseCaseResult<PostBody>> {
  const { posts, workspaces } = options;
  return settled('read', async () => {
    if (!isPostId(postId)) return NO_POST;
    const [post, channels] = await Promise.all([
      posts.read(call.workspaceId, postId),
      workspaces.channels(call.workspaceId),
    ]);
    return post === null ? NO_POST : done(await showPost(post, channels, options));
  });
}
