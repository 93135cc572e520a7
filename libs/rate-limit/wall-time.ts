import type { Clock } from '#ports/clock.ts';

/**
 * The clock of a rate limit that goes by wall time: an operator who moves Crier's clock ahead neither frees what
 * callers have used up, nor makes their requests look old to other replicas.
 */
export function atWallTime(clock: Clock): Clock {
  return {
    now: () => clock.unmoved(),
    unmoved: () => clock.unmoved(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, run) => clock.after(delayMs, run),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    onMoved: () => () => {},
  };
}
