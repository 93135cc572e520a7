import type { PostBody } from '#domain/post/render.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import { PortError } from '#ports/errors.ts';
import type { ApiCall } from './caller.ts';
import type { PostReader, WorkspaceReader } from './dependencies.ts';
import { done, OUTCOME_UNKNOWN, type UseCaseResult } from './outcome.ts';
import { showPost, type ShowPostsOptions } from './show-posts.ts';

export interface ReadBackOptions extends ShowPostsOptions {
  readonly posts: PostReader;
  readonly workspaces: WorkspaceReader;
}

/**
 * The Post after a change of it. The change is committed by now, so a read that fails must not be answered as if
 * nothing was changed.
 */
export async function readBack(
  call: ApiCall,
  postId: string,
  answer: Pick<CommandAnswer, 'post' | 'channels'>,
  options: ReadBackOptions,
): Promise<UseCaseResult<PostBody>> {
  const { posts, workspaces } = options;
  try {
    const [post, channels] = await Promise.all([
      answer.post ?? posts.read(call.workspaceId, postId),
      answer.channels ?? workspaces.channels(call.workspaceId),
    ]);
    return post === null ? { ok: false, problem: OUTCOME_UNKNOWN } : done(await showPost(post, channels, options));
  } catch (error) {
    if (error instanceof PortError) return { ok: false, problem: OUTCOME_UNKNOWN };
    throw error;
  }
}
