import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Aftermath } from '../aftermath.ts';

/**
 * How late clocks make what is due, where they differ by more than the rules allow for: the scheduler's is behind, or
 * fires so early that the timer is set again for later by as much; then the same of the process that it fires for.
 */
export function clockDelayMs({ world: { maxOffsetMs } }: Pick<Aftermath, 'world'>): number {
  return 2 * maxOffsetMs > CLOCK_SKEW_MS ? 4 * maxOffsetMs : 0;
}
