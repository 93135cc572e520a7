import type { PostBody } from '#domain/post/render.ts';
import type { Answer } from '#domain/workspace/results.ts';
import { PortError } from '#ports/errors.ts';
import type { Call } from '../caller.ts';
import type { MetricsOfPost, PostReader, WorkspaceReader } from '../needs.ts';
import { done, OUTCOME_UNKNOWN, type Outcome } from '../outcome.ts';
import { showPost } from './show-posts.ts';

export interface ReadBackOptions {
  readonly posts: PostReader;
  readonly workspaces: WorkspaceReader;
  readonly metrics: MetricsOfPost;
}

/**
 * The Post that a change was about, as it is after it. The change is made by now: a read that fails must not say that
 * nothing was changed.
 */
export async function readBack(call: Call, postId: string, answer: Pick<Answer, 'post' | 'channels'>, { posts, workspaces, metrics }: ReadBackOptions): Promise<Outcome<PostBody>> {
  try {
    const [post, channels] = await Promise.all([answer.post ?? posts.read(call.workspaceId, postId), answer.channels ?? workspaces.channels(call.workspaceId)]);
    return post === null ? { ok: false, problem: OUTCOME_UNKNOWN } : done(await showPost(post, channels, metrics));
  } catch (error) {
    if (error instanceof PortError) return { ok: false, problem: OUTCOME_UNKNOWN };
    throw error;
  }
}

