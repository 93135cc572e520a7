import { askAgainMs, lookAgainAfterMs } from '../contract/waits.ts';
import type { YouTubeWork } from './calls.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const FIRST_LOOK_MS = 5_000;
const PROCESSING_MS = 30 * MINUTE_MS;

/** Between two looks at a video that YouTube processes. `sinceMs`: how long it has had it. */
export function lookAgainMs({ at: { waitFactor } }: YouTubeWork, sinceMs: number): number {
  return lookAgainAfterMs(FIRST_LOOK_MS * waitFactor, sinceMs);
}

/**
 * By then a video that YouTube could not process would have shown it; more work, such as finer pictures, is no matter.
 */
export function isOverdue({ at: { waitFactor } }: YouTubeWork, sinceMs: number): boolean {
  return sinceMs >= PROCESSING_MS * waitFactor;
}

const SETTLE_MS = 15_000;

/** By when a session has counted the bytes that a lost connection brought it. */
export function settleMs({ at: { waitFactor } }: YouTubeWork): number {
  return SETTLE_MS * waitFactor;
}

const LIST_MS = 5 * MINUTE_MS;
const LIST_LOOK_MS = 20_000;

/** A channel's list shows its uploads within a minute. Null: by now it would have. */
export function listAgainMs({ at: { waitFactor } }: YouTubeWork, sinceMs: number): number | null {
  return sinceMs < LIST_MS * waitFactor ? LIST_LOOK_MS * waitFactor : null;
}

const LATE_LOOK_MS = 10 * MINUTE_MS;
const MAX_MS = 24 * HOUR_MS;
const FEWEST_ASKED = 8;

/**
 * How long to wait before asking a YouTube again that could not be asked: its session stays valid for a day. A late
 * first question is still followed by several. Null: it was asked often enough.
 */
export function retryMs(sinceMs: number, asked: number): number | null {
  if (sinceMs >= MAX_MS && asked >= FEWEST_ASKED) return null;
  return sinceMs < HOUR_MS ? askAgainMs(asked) : LATE_LOOK_MS;
}
