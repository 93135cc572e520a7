import type { PostBody } from '#domain/post/render.ts';
import { isPostId } from '#domain/post/ids.ts';
import type { ApiCall } from './caller.ts';
import type { UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { NO_POST } from './get-post.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

/** Makes the addresses of a Post's files void; what is still to be published gets new ones. */
export async function voidFileAddresses(
  call: ApiCall,
  postId: string,
  options: SubmitCommandOptions & ReadBackOptions,
): Promise<UseCaseResult<PostBody>> {
  if (!isPostId(postId)) return NO_POST;
  const command = { ...requestEnvelopeOf(call, options), type: 'VoidFileAddresses', postId } as const;
  const answer = await submitCommand(command, options);
  return answer.ok ? readBack(call, postId, answer.value, options) : answer;
}
