import { isPostId, isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import type { UseCaseResult } from '#use-cases/outcome.ts';

const ABOUT = /^\/api\/(?:posts|variants)(?:\/([0-9a-f-]{36}))?/;

/** The Post that a request is about, by its address or, of a Post that was created, by the answer; null: none. */
export function postIdAbout({ path }: { readonly path: string }, outcome: UseCaseResult<object>): string | null {
  const found = ABOUT.exec(path);
  if (found === null) return null;
  const [, id] = found;
  if (id === undefined) return postIdIn(outcome);
  if (isPostId(id)) return id;
  return isVariantId(id) ? postIdOfVariant(id) : null;
}

/** Answers have a Post as `data` of the body; tools answer with it as `post`. */
export function postIdIn(outcome: UseCaseResult<object>): string | null {
  if (!outcome.ok) return null;
  const { body, post } = outcome.value as { readonly body?: { readonly data?: unknown }; readonly post?: unknown };
  const { id } = (post ?? body?.data ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' && isPostId(id) ? id : null;
}
