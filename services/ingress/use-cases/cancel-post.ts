import type { PostBody } from '#domain/post/render.ts';
import { isPostId } from '#domain/post/ids.ts';
import type { Call } from '../caller.ts';
import type { Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';
import { NO_POST } from './get-post.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

/** Cancels what is still scheduled of a Post; what is being or was published stays. */
export async function cancelPost(call: Call, postId: string, options: AskingOptions & ReadBackOptions): Promise<Outcome<PostBody>> {
  if (!isPostId(postId)) return NO_POST;
  const answer = await askWorkspace({ ...askedBy(call, options), type: 'CancelPost', postId }, options);
  return answer.ok ? readBack(call, postId, answer.value, options) : answer;
}
