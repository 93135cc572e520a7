import assert from 'node:assert/strict';
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

/**
 * What a Variant's change means for the Workspace's credits; publishing spends what was reserved, anything else gives
 * it back.
 */
export function settleCredit(credits: Credits, before: Variant, after: Variant): Credits {
  if (before.creditReserved === after.creditReserved) return credits;
  if (after.creditReserved) return reserveCredits(credits, 1);
  const back = after.status === 'published' ? 0 : 1;
  return checked(credits.available + back, credits.reserved - 1);
}
