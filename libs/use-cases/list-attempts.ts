import { isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import { isoOf, isoOrNull } from '#domain/post/render.ts';
import type { ApiCall } from './caller.ts';
import type { AttemptReader, AttemptStep, PostReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';
import { NO_VARIANT } from './retry-variant.ts';

export interface ListAttemptsOptions {
  readonly posts: PostReader;
  readonly ledger: AttemptReader;
}

export type RenderedAttempt = ReturnType<typeof renderAttempt>;

/** An upload that is begun again and again makes thousands, of which the last ones matter. */
const MAX_STEPS = 1_000;

/** The newest steps of all attempts to publish a Variant, in order of attempt and time. */
export function listAttempts(
  call: ApiCall,
  variantId: string,
  { posts, ledger }: ListAttemptsOptions,
): Promise<UseCaseResult<readonly RenderedAttempt[]>> {
  return settled('read', async () => {
    if (!isVariantId(variantId)) return NO_VARIANT;
    const post = await posts.read(call.workspaceId, postIdOfVariant(variantId));
    if (!post?.variants.some(({ id }) => id === variantId)) return NO_VARIANT;
    return done((await ledger.attempts(variantId, MAX_STEPS)).map(renderAttempt));
  });
}

function renderAttempt({ attempt, startedAt, finishedAt, step, outcome, detail, remoteId }: AttemptStep) {
  return {
    attempt,
    startedAt: isoOf(startedAt),
    finishedAt: isoOrNull(finishedAt),
    step,
    outcome,
    detail,
    remoteId,
  };
}
