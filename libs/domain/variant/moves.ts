import assert from 'node:assert/strict';
import { cutToJsonBytes, jsonBytes } from '../json-size.ts';
import type { FirstCommentState, FailureReason, Variant, VariantStatus } from '../post/post.ts';
import { MAX_CALL_DETAIL_BYTES } from '../post/weight.ts';
import { mayMove } from './transitions.ts';

type Changes = Partial<Omit<Variant, 'id' | 'channelId' | 'network' | 'placement' | 'scheduledAt' | 'status'>>;

function move(variant: Variant, to: VariantStatus, changes: Changes = {}): Variant {
  assert(mayMove(variant.status, to), `variant ${variant.id} cannot go from ${variant.status} to ${to}`);
  return withoutWaiting({ ...variant, ...changes, status: to });
}

/** A hold keeps back only what is scheduled. */
function withoutWaiting(variant: Variant): Variant {
  return variant.status === 'scheduled' ? variant : notWaiting(variant);
}

function notWaiting(variant: Variant): Variant {
  return variant.hold?.waiting === true ? { ...variant, hold: { waiting: false } } : variant;
}

/** A scheduled Variant that came due while publishing is held, or behind others of its Channel that wait. */
export function keepBack(variant: Variant): Variant {
  assert(variant.status === 'scheduled', `variant ${variant.id} is ${variant.status}, and can not be kept back`);
  return variant.hold?.waiting === true ? variant : { ...variant, hold: { waiting: true } };
}

/** No hold keeps it back any more; what else it waits for, it goes on waiting for. */
export function letGo(variant: Variant): Variant {
  return notWaiting(variant);
}

/**
 * A publisher gave the attempt back: publishing is held, or the Channel was disconnected since it was queued. The next
 * one is another attempt: a job of this one that arrives again must not send what was cancelled meanwhile.
 */
export function giveBack(variant: Variant): Variant {
  return { ...move(variant, 'scheduled', { attempt: variant.attempt + 1 }), hold: { waiting: true } };
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

/** The first comment waits with its Variant, and its credit is kept, given back and reserved with the Variant's. */
function commentWithCredit({ firstComment }: Variant, creditReserved: boolean): Pick<Variant, 'firstComment'> {
  return firstComment?.status === 'waiting' ? { firstComment: { ...firstComment, creditReserved } } : {};
}

/**
 * A credit stays reserved while it is unknown whether the Network took the Variant, in this attempt or in one before
 * it; any other end gives it back. A comment goes out only once its Variant is known to be live.
 */
function creditOfUnknown(variant: Variant, isUnconfirmed = false): Pick<Variant, 'creditReserved'> {
  return { creditReserved: (isUnconfirmed || variant.reconcileFirst) && variant.creditReserved };
}

export function markFailed(variant: Variant, reason: FailureReason, detail: string): Variant {
  const unconfirmed = reason === 'unconfirmed';
  return move(variant, 'failed', {
    failureReason: reason,
    failureDetail: cutToJsonBytes(detail, MAX_CALL_DETAIL_BYTES),
    ...creditOfUnknown(variant, unconfirmed),
    reconcileFirst: unconfirmed || variant.reconcileFirst,
    ...commentWithCredit(variant, unconfirmed && variant.firstComment?.creditReserved === true),
  });
}

/** By a person, who cancelled the Post. */
export function cancel(variant: Variant, at: number): Variant {
  return move(variant, 'cancelled', {
    cancelledAt: at,
    ...creditOfUnknown(variant),
    ...commentWithCredit(variant, false),
  });
}

/** By the Disconnect of its Channel. */
export function cancelByDisconnect(
  variant: Variant,
  disconnect: { readonly at: number; readonly by: string | null },
): Variant {
  return move(variant, 'cancelled', {
    cancelledAt: disconnect.at,
    cancelledByDisconnect: { by: disconnect.by },
    ...creditOfUnknown(variant),
    ...commentWithCredit(variant, false),
  });
}

/** The next attempt, due at `now`. What the caller once asked for, `scheduledAt`, stays. */
export function requeue(
  variant: Variant,
  again: { readonly now: number; readonly channelDisconnects: number },
): Variant {
  const { hold: _, ...unheld } = variant;
  return move(unheld, 'scheduled', {
    dueAt: again.now,
    attempt: variant.attempt + 1,
    failureReason: null,
    failureDetail: null,
    channelDisconnects: again.channelDisconnects,
    creditReserved: variant.network === 'x',
    ...commentWithCredit(variant, variant.network === 'x'),
  });
}

/** The first comment under a Variant came to its end. Whatever that is, the Variant stays as it is. */
export function endFirstComment(
  variant: Variant,
  { status, permalink, detail }: Pick<FirstCommentState, 'status' | 'permalink' | 'detail'>,
): Variant {
  return {
    ...variant,
    firstComment: {
      status,
      permalink: kept(permalink),
      detail: detail === null ? null : cutToJsonBytes(detail, MAX_CALL_DETAIL_BYTES),
      creditReserved: false,
    },
  };
}
