import { CLOCK_SKEW_MS, HARMLESS_LEAD_MS, MAX_APART_MS, MAX_LEAD_MS } from './clock-skew.ts';

/** How long the message of a timer may take to arrive: added, so that the next timer does not come early again. */
const ON_THE_WAY_MS = 200;
/**
 * Further leads of a scheduler's clock for which a timer is set, as a short wait shows only a part of the lead. The
 * last is the longest of which the scheduler does not notice that its clock was put right: after a longer one it fires
 * again what it had fired too early.
 */
const LEADS_MS = [1_000, 2_500, CLOCK_SKEW_MS, 15_000, 30_000, MAX_APART_MS, 120_000, HARMLESS_LEAD_MS] as const;

/**
 * When to set the timer again of what is due `at`, but was woken at `now`, before it, by a scheduler whose clock is
 * ahead of ours.
 *
 * That scheduler fires a timer as soon as its own clock has come to it, and remembers it by its name and instant, so
 * that it does not fire one for `at` a second time. The timer that fired may have been the one for `at`: then the clock
 * is ahead by as much as it came early, and one that lies that much behind `at` fires at the right time. A wait shorter
 * than the lead does not tell how long the lead is, so there is one for each lead that is provided for. Those that are
 * too near fire at once. The lead is rounded up to an eighth of its power of two: what they wake asks for timers of the
 * same name and instant again, which the scheduler remembers, and not for new ones each time.
 */
export function timersAfterEarly(at: number, now: number): number[] {
  const leadMs = Math.min(roundUp(at - now + ON_THE_WAY_MS), MAX_LEAD_MS);
  return [leadMs, ...LEADS_MS.filter((each) => each > leadMs)].map((each) => at + each);
}

function roundUp(leadMs: number): number {
  const eighth = 2 ** Math.floor(Math.log2(leadMs)) / 8;
  return Math.ceil(leadMs / eighth) * eighth;
}
