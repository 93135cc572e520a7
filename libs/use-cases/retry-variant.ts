import type { VariantBody } from '#domain/post/render.ts';
import { isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import { done, failed, OUTCOME_UNKNOWN, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

export const NO_VARIANT = failed('not_found', 'There is no such Variant in this Workspace.');

/** Queues a failed Variant again, due at once. */
export async function retryVariant(
  call: ApiCall,
  variantId: string,
  options: SubmitCommandOptions & ReadBackOptions,
): Promise<UseCaseResult<VariantBody>> {
  const refused = missingPermission(call, 'posts:publish');
  if (refused !== null) return refused;
  if (!isVariantId(variantId)) return NO_VARIANT;
  const answer = await submitCommand({ ...requestEnvelopeOf(call, options), type: 'RetryVariant', variantId }, options);
  if (!answer.ok) return answer;
  const post = await readBack(call, postIdOfVariant(variantId), answer.value, options);
  if (!post.ok) return post;
  const variant = post.value.variants.find(({ id }) => id === variantId);
  return variant === undefined ? { ok: false, problem: OUTCOME_UNKNOWN } : done(variant);
}
