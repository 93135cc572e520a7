import type { VariantBody } from '#domain/post/render.ts';
import { isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import { lacking, type Call } from '../caller.ts';
import { done, failed, OUTCOME_UNKNOWN, type Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

export const NO_VARIANT = failed('not_found', 'There is no such Variant in this Workspace.');

/** Queues a failed Variant again, due at once. */
export async function retryVariant(call: Call, variantId: string, options: AskingOptions & ReadBackOptions): Promise<Outcome<VariantBody>> {
  const refused = lacking(call, 'posts:publish');
  if (refused !== null) return refused;
  if (!isVariantId(variantId)) return NO_VARIANT;
  const answer = await askWorkspace({ ...askedBy(call, options), type: 'RetryVariant', variantId }, options);
  if (!answer.ok) return answer;
  const post = await readBack(call, postIdOfVariant(variantId), answer.value, options);
  if (!post.ok) return post;
  const variant = post.value.variants.find(({ id }) => id === variantId);
  return variant === undefined ? { ok: false, problem: OUTCOME_UNKNOWN } : done(variant);
}
