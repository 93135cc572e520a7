import { instantOf, postIdOfVariant } from '#domain/post/ids.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { readPostContent } from '#tables/repositories/posts.ts';

/** No Post is removed that early: CRIER_POSTS_KEPT_DAYS is 100 at least. A job of a younger Post needs no read. */
const KEPT_AT_LEAST_MS = 90 * 86_400_000;

/**
 * Whether a job is of a Post that was removed, since it ended long ago: an old backup or an old dead letter has such a
 * job of an attempt, and a reading of figures may be set for months later. Without the Post's rows it may not be
 * carried out, or can not. Rejects with `PortError`.
 */
export async function isOfRemovedPost(
  { workspaceId, variantId }: { readonly workspaceId: string; readonly variantId: string },
  { store, clock }: Pick<WorldPorts, 'store' | 'clock'>,
): Promise<boolean> {
  const postId = postIdOfVariant(variantId);
  if (clock.now() - instantOf(postId) < KEPT_AT_LEAST_MS) return false;
  return (await readPostContent(store, workspaceId, postId)) === null;
}
