import { CANARY, type CanaryStage } from '#domain/canary.ts';
import { deliveryIdOf } from '#domain/webhook/delivery.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import { outcomeIdOf } from '#domain/workspace/events.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { DeliveryRows } from '#tables/repositories/deliveries.ts';
import { readPost } from '#tables/repositories/posts.ts';

/** How far a Post came. */
export type CanaryProgress =
  | { readonly kind: 'at'; readonly stage: CanaryStage }
  /** It will not reach this stage. */
  | { readonly kind: 'failed'; readonly stage: CanaryStage; readonly detail: string }
  | { readonly kind: 'cancelled' };

export interface ProgressOptions {
  readonly store: TableStore;
  readonly deliveries: Pick<DeliveryRows, 'find'>;
}

/** By the rows that everybody else reads, too. Rejects with `PortError`. */
export async function readProgress({ store, deliveries }: ProgressOptions, postId: string): Promise<CanaryProgress> {
  const post = await readPost(store, CANARY.workspaceId, postId);
  const progress = progressOf(post);
  if (post === null || progress.kind !== 'at' || progress.stage !== 'published') return progress;
  const told = await Promise.all(post.variants.map((variant) => isTold(deliveries, variant)));
  return told.every(Boolean) ? { kind: 'at', stage: 'told' } : progress;
}

/** Of a Post of which no delivery was looked at. Null: its rows can not be seen. */
function progressOf(post: Pick<Post, 'variants'> | null): CanaryProgress {
  const variants = post?.variants ?? [];
  const failed = variants.find(({ status }) => status === 'failed');
  if (failed !== undefined) {
    const stage = failed.failureReason === 'missed_window' ? 'due' : 'published';
    return { kind: 'failed', stage, detail: failed.failureDetail ?? '' };
  }
  if (variants.some(({ status }) => status === 'cancelled')) return { kind: 'cancelled' };
  if (variants.length === 0 || variants.some(({ status }) => status === 'scheduled'))
    return { kind: 'at', stage: 'accepted' };
  return { kind: 'at', stage: variants.every(({ status }) => status === 'published') ? 'published' : 'due' };
}

async function isTold(deliveries: Pick<DeliveryRows, 'find'>, variant: Variant): Promise<boolean> {
  const eventId = outcomeIdOf(variant, 'variant.published');
  const delivery = await deliveries.find(deliveryIdOf(eventId, CANARY.endpointId));
  return delivery?.standing.state === 'succeeded';
}
