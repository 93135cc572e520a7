import type { Clock } from '#ports/clock.ts';

type Clocks = Pick<Clock, 'now' | 'monotonic'>;

/**
 * When a wait ends: by the wall clock, which an operator may move ahead, or by the monotonic one, if that comes first.
 * By the wall clock alone it would last for as long as that one led before it was put right.
 */
export interface WaitEnd {
  readonly at: number;
  readonly monotonicAt: number;
}

export function endIn(milliseconds: number, clock: Clocks): WaitEnd {
  return { at: clock.now() + milliseconds, monotonicAt: clock.monotonic() + milliseconds };
}

/** 0: there is no wait, or it is over. */
export function remainingMs(end: WaitEnd | undefined, clock: Clocks): number {
  return end === undefined ? 0 : Math.max(0, leftOf(end, clock));
}

/** Whole milliseconds, as timers are set by them; below zero once it is over. */
export function leftOf({ at, monotonicAt }: WaitEnd, clock: Clocks): number {
  return Math.ceil(Math.min(at - clock.now(), monotonicAt - clock.monotonic()));
}
