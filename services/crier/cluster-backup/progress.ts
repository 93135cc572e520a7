import type { Clock } from '#ports/clock.ts';

/** Told of each step of long work; what it is told last stands. */
export type Progress = (line: string) => void;

const EVERY_MS = 5_000;

/** Hands on one line in five seconds, so that a terminal or a log shows where long work is. */
export function everyFewSeconds(clock: Pick<Clock, 'monotonic'>, show: Progress): Progress {
  let nextAt = clock.monotonic() + EVERY_MS;
  return (line) => {
    if (clock.monotonic() < nextAt) return;
    nextAt = clock.monotonic() + EVERY_MS;
    show(line);
  };
}
