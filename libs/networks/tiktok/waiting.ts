import type { TikTokWork } from './calls.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Between two looks at what TikTok works on, as TikTok advises: often for a minute, then seldom for an hour, then now
 * and then.
 */
const LOOKS = [
  { untilMs: MINUTE_MS, everyMs: 5_000 },
  { untilMs: HOUR_MS, everyMs: 30_000 },
] as const;
const LATE_LOOK_MS = 10 * MINUTE_MS;

/** `sinceMs`: how long TikTok has had it. */
export function lookAgainMs({ at: { waitFactor } }: TikTokWork, sinceMs: number): number {
  const look = LOOKS.find(({ untilMs }) => sinceMs < untilMs * waitFactor);
  return (look?.everyMs ?? LATE_LOOK_MS) * waitFactor;
}

const SETTLE_MS = 15_000;

/** By when TikTok has counted the bytes that a lost connection brought it. */
export function settleMs({ at: { waitFactor } }: TikTokWork): number {
  return SETTLE_MS * waitFactor;
}

const MAX_MS = 24 * HOUR_MS;
const FEWEST_LOOKS = 8;

/**
 * TikTok's own work may take hours, and its status stays valid meanwhile; after a day it is waited for no longer.
 */
export function isOverdue({ at: { waitFactor } }: TikTokWork, sinceMs: number): boolean {
  return sinceMs >= MAX_MS * waitFactor;
}

/** The same for a TikTok that can't be asked. A late first look is still followed by several. */
export function isHopeless(sinceMs: number, asked: number): boolean {
  return sinceMs >= MAX_MS && asked >= FEWEST_LOOKS;
}
