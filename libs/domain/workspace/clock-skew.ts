/**
 * How far the clocks of two machines of an installation may be apart. A timer that fires earlier than this before its
 * time was not set off by one of these clocks.
 */
export const CLOCK_SKEW_MS = 5_000;

/**
 * How far apart the clocks of two processes may be at most: one that is off by more than half of this does not run
 * (`ClockCheck`). What must not be done twice is judged by this and not by the skew.
 */
export const MAX_APART_MS = 60_000;

/**
 * A clock may lead by this much without harm. A minute is read 30 s before it begins and is 60 s long, and a timer set
 * within 5 min of its instant also goes through timers.v1: a minute that is read up to 210 s too early misses none. The
 * rest is for how far a watermark may be ahead, and for differences among the clocks of processes that set timers.
 */
export const HARMLESS_LEAD_MS = 180_000;

/** A lead of more than this is not skew; after a clock was put back further, a timer is late by at most this. */
export const MAX_LEAD_MS = 5 * 60_000;

/**
 * When to set the timer again that fired at `now` though it was due at `dueAt`. The clock that fired it leads ours by
 * as much as it came early, so it is set later by that much: at its old instant it would fire at once, again and again,
 * for as long as the lead lasts.
 */
export function againAt(dueAt: number, now: number): number {
  return dueAt + Math.min(dueAt - now, MAX_LEAD_MS);
}
