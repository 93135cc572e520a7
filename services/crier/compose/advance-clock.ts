import type { Config } from '#config/config.ts';
import { addClockAhead } from '#tables/repositories/clock-ahead.ts';
import type { Engine } from '../engines/engine.ts';
import type { ProcessRoles } from './process-roles.ts';

/** Moves the clock ahead and resolves with the new instant, Unix ms, once every timer that became due has fired. */
export type AdvanceClock = (milliseconds: number) => Promise<number>;

/**
 * Moves the clock of an embedded installation with the sandbox; null for others. The row is written first: a crash in
 * between must not let time go back at the next start.
 */
export function advanceClockOf(
  config: Config,
  { store, clock, ids }: Engine,
  { scheduler }: ProcessRoles,
): AdvanceClock | null {
  if (scheduler === null || config.engine !== 'embedded' || config.networks !== 'sandbox') return null;
  return async (milliseconds) => {
    await addClockAhead(store, milliseconds, () => ids.token());
    clock.advance(milliseconds);
    await scheduler.caughtUp();
    return clock.now();
  };
}
