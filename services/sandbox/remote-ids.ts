import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';

/** The epoch of snowflake ids. */
const EPOCH_MS = 1_288_834_974_657;
const LOW_BITS = 22n;
const DIGITS = 19;

/**
 * Ids in the form of the Networks': 19 digits, beyond what a JavaScript number holds, ascending with time. Unique over
 * all Networks.
 */
export interface RemoteIds {
  next(): string;
}

/** The low bits are random, so that no counter must survive a restart. */
export function createRemoteIds(clock: Pick<Clock, 'now'>, ids: Pick<Ids, 'random'>): RemoteIds {
  let last = 0n;
  return {
    next() {
      const low = BigInt(Math.floor(ids.random() * 2 ** 20));
      const made = (BigInt(Math.max(0, clock.now() - EPOCH_MS)) << LOW_BITS) | low;
      last = made > last ? made : last + 1n;
      return last.toString().padStart(DIGITS, '0');
    },
  };
}

/** Every id made at `instant` or later is larger: lists begin here instead of reading everything older. */
export function idFloor(instant: number): string {
  const sinceEpochMs = Number.isFinite(instant) ? Math.max(0, Math.floor(instant) - EPOCH_MS) : 0;
  const first = BigInt(sinceEpochMs) << LOW_BITS;
  return (first > 0n ? first - 1n : first).toString().padStart(DIGITS, '0').slice(0, DIGITS);
}
