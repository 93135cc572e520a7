import { useMemo } from 'react';
import { clockOf, type ZoneClock } from './time/zone-clock.ts';

/** The zone of that name, or where the browser knows none, UTC. */
export function useZoneClock(timeZone: string): ZoneClock {
  return useMemo(() => clockOf(timeZone), [timeZone]);
}
