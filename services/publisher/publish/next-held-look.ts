import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';

const LOOKS_EVERY_MS = 30_000;

/**
 * When what can't be given back looks again whether it is held. The clock of a scheduler may lead by `MAX_APART_MS`: a
 * timer that is nearer would fire at once, and again at once for as long as the hold lasts. A job may also be handled
 * twice, by two owners or for a record that came again: all of them set the timer of one instant, and go on as one.
 */
export function nextHeldLook(now: number): number {
  return (Math.floor((now + MAX_APART_MS) / LOOKS_EVERY_MS) + 1) * LOOKS_EVERY_MS;
}
