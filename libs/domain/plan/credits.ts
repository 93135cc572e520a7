import assert from 'node:assert/strict';
import type { ChannelOptions } from '../post/channel-options.ts';
import type { Variant } from '../post/post.ts';

export interface Credits {
  readonly available: number;
  readonly reserved: number;
}

function checked(available: number, reserved: number): Credits {
  assert(available >= 0 && reserved >= 0, `credits below zero: ${available} available, ${reserved} reserved`);
  return { available, reserved };
}

export function reserveCredits(credits: Credits, count: number): Credits {
  return checked(credits.available - count, credits.reserved + count);
}

/** How many credits a Variant on X takes: its first comment is a post of its own there. */
export function creditsFor(options: Pick<ChannelOptions, 'firstComment'> | undefined): number {
  return options?.firstComment === undefined ? 1 : 2;
}

export function creditsHeldBy({ creditReserved, firstComment }: Variant): number {
  return Number(creditReserved) + Number(firstComment?.creditReserved ?? false);
}

/**
 * What a Variant's change means for the Workspace's credits: publishing spends what was reserved, and so does a comment
 * that may be there; anything else gives it back.
 */
export function settleCredits(credits: Credits, before: Variant, after: Variant): Credits {
  const held = creditsHeldBy(after) - creditsHeldBy(before);
  if (held === 0) return credits;
  if (held > 0) return reserveCredits(credits, held);
  const isSpent = before.creditReserved && !after.creditReserved && after.status === 'published';
  const ofComment = before.firstComment?.creditReserved === true && after.firstComment?.creditReserved !== true;
  const isCommentSpent = ofComment && ['published', 'unconfirmed'].includes(after.firstComment?.status ?? '');
  return checked(credits.available - held - Number(isSpent) - Number(isCommentSpent), credits.reserved + held);
}

/** Whether they were published will not be known any more: what they hold is spent. */
export function spendHeldBy(credits: Credits, variants: readonly Variant[]): Credits {
  const held = variants.reduce((sum, variant) => sum + creditsHeldBy(variant), 0);
  return held === 0 ? credits : checked(credits.available, credits.reserved - held);
}
