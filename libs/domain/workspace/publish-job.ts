import assert from 'node:assert/strict';
import type { Channel } from '../channel/channel.ts';
import type { Variant } from '../post/post.ts';
import type { PublishJob } from './effects.ts';

/** The job of a Variant that just entered `publishing`. */
export function publishJobOf(
  workspaceId: string,
  variant: Variant,
  channel: Channel,
  missedWindowMs: number,
): PublishJob {
  assert(variant.status === 'publishing' && variant.channelId === channel.id, `no job for variant ${variant.id}`);
  return {
    workspaceId,
    variantId: variant.id,
    attempt: variant.attempt,
    network: variant.network,
    placement: variant.placement,
    channelId: channel.id,
    accountId: channel.accountId,
    dueAt: variant.dueAt,
    latestStart: variant.dueAt + missedWindowMs,
    reconcileFirst: variant.reconcileFirst,
  };
}
