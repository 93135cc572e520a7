import assert from 'node:assert/strict';
import { cutToJsonBytes, jsonBytes } from '../json-size.ts';
import type { FailureReason, Variant, VariantStatus } from '../post/post.ts';
import { MAX_CALL_DETAIL_BYTES } from '../post/weight.ts';
import { mayMove } from './transitions.ts';

type Changes = Partial<Omit<Variant, 'id' | 'channelId' | 'network' | 'placement' | 'scheduledAt' | 'status'>>;

function move(variant: Variant, to: VariantStatus, changes: Changes = {}): Variant {
  assert(mayMove(variant.status, to), `variant ${variant.id} cannot go from ${variant.status} to ${to}`);
  return { ...variant, ...changes, status: to };
}

export function startPublishing(variant: Variant): Variant {
  return move(variant, 'publishing');
}

/** Whatever its status: a Variant that failed meanwhile may be retried. */
export function withMediaReady(variant: Variant): Variant {
  return { ...variant, mediaReady: true };
}

/** The reserved credit is spent. An id or a permalink too long to be kept is left out: cut, it would be another one. */
export function markPublished(variant: Variant, remoteId: string, permalink: string | null): Variant {
  return move(variant, 'published', {
    remoteId: kept(remoteId),
    permalink: kept(permalink),
    creditReserved: false,
    failureReason: null,
    failureDetail: null,
  });
}

function kept(said: string | null): string | null {
  return said !== null && jsonBytes(said) <= MAX_CALL_DETAIL_BYTES ? said : null;
}

/**
 * A credit stays reserved while it is unknown whether the Network took the Variant; any other failure gives it back.
 */
export function markFailed(variant: Variant, reason: FailureReason, detail: string): Variant {
  const unconfirmed = reason === 'unconfirmed';
  return move(variant, 'failed', {
    failureReason: reason,
    failureDetail: cutToJsonBytes(detail, MAX_CALL_DETAIL_BYTES),
    creditReserved: unconfirmed && variant.creditReserved,
    reconcileFirst: unconfirmed || variant.reconcileFirst,
  });
}

/** By a person, who cancelled the Post. */
export function cancel(variant: Variant, at: number): Variant {
  return move(variant, 'cancelled', { cancelledAt: at, creditReserved: false });
}

/** By the Disconnect of its Channel. */
export function cancelByDisconnect(
  variant: Variant,
  disconnect: { readonly at: number; readonly by: string | null },
): Variant {
  return move(variant, 'cancelled', {
    cancelledAt: disconnect.at,
    cancelledByDisconnect: { by: disconnect.by },
    creditReserved: false,
  });
}

/** The next attempt, due at `now`. What the caller once asked for, `scheduledAt`, stays. */
export function requeue(
  variant: Variant,
  again: { readonly now: number; readonly channelDisconnects: number },
): Variant {
  return move(variant, 'scheduled', {
    dueAt: again.now,
    attempt: variant.attempt + 1,
    failureReason: null,
    failureDetail: null,
    channelDisconnects: again.channelDisconnects,
    creditReserved: variant.network === 'x',
  });
}
