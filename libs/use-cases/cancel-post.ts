import type { PostBody } from '#domain/post/render.ts';
import { isPostId } from '#domain/post/ids.ts';
import type { ApiCall } from './caller.ts';
import type { UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { NO_POST } from './get-post.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

/** Cancels the Variants of a Post that are still scheduled; those that are publishing or ended stay. */
export async function cancelPost(
  call: ApiCall,
  postId: string,
  options: SubmitCommandOptions & ReadBackOptions,
): Promise<UseCaseResult<PostBody>> {
  if (!isPostId(postId)) return NO_POST;
  const answer = await submitCommand({ ...requestEnvelopeOf(call, options), type: 'CancelPost', postId }, options);
  return answer.ok ? readBack(call, postId, answer.value, options) : answer;
}
