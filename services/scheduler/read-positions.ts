import type { Clock } from '#ports/clock.ts';
import { minuteOf } from '#tables/due.ts';
import type { ShardBody } from '#tables/shards.ts';

const MINUTE_MS = 60_000;

/**
 * A clock may lead by this much without harm. A minute is read 30 s before it begins, is 60 s long, and whoever sets a timer within 5 min
 * of its instant also tells the shard's owner through timers.v1: read up to 205 s too early, no timer of the minute is missed. The rest is
 * for differences among the clocks of those who set timers.
 */
export const HARMLESS_LEAD_MS = 180_000;
/** For how long a former owner's clock may have led, at least, that left a watermark ahead of ours. */
const LED_FOR_MINUTES = 60;
/** Offsets that differ by less are one clock, slowly adjusted. */
const SAME_CLOCK_MS = 1_000;
const MOST_READINGS = 32;

/** Minutes read while wall time was so far from monotonic time. */
interface Reading {
  /** Wall time less monotonic time, in milliseconds: the highest of those under which the minutes below `minute` were read. */
  readonly offsetMs: number;
  readonly minute: number;
}

/**
 * How far the minutes of a claimed shard have been read *in time*.
 *
 * A minute that is read too early is read in vain: timers that are set for it afterwards, by processes with the right time, are rows that
 * nobody reads again. Whether it was too early shows only when the clock is put back. So progress is kept by the clock's offset to
 * monotonic time, which steps when the wall clock does. When the offset falls, what was read under a higher one is forgotten for good, and
 * reading goes on where it stood before the clock led. A clock that lagged for a while pays for that caution: on its return everything that
 * is still kept since the shard was claimed is read again, and what had fired fires once more.
 */
export class ReadPositions {
  #row: Pick<ShardBody, 'minute' | 'dropped'>;
  readonly #claimedAtMs: number;
  #readings: readonly Reading[] = [];

  /** For a shard that is claimed now, with the row it was claimed with. */
  constructor(row: Pick<ShardBody, 'minute' | 'dropped'>, clock: Pick<Clock, 'monotonic'>) {
    this.#row = { minute: row.minute, dropped: row.dropped };
    this.#claimedAtMs = clock.monotonic();
  }

  /** Every minute before this one has been read in time, if the clock is right now. */
  next(clock: Pick<Clock, 'now' | 'monotonic'>): number {
    const offsetMs = offsetOf(clock);
    this.#readings = this.#readings.filter((reading) => reading.offsetMs <= offsetMs + HARMLESS_LEAD_MS);
    return this.#furthest(offsetMs).minute;
  }

  /** Minutes up to `minute` have been read; `offsetMs` as the clock had it when the reading began. */
  readTo(minute: number, offsetMs: number): void {
    const reading = { offsetMs: Math.max(offsetMs, this.#furthest(offsetMs).offsetMs), minute };
    const others = this.#readings.filter((each) => Math.abs(each.offsetMs - reading.offsetMs) >= SAME_CLOCK_MS || each.minute > minute);
    // To forget the least progress means to read some minutes once more.
    this.#readings = [reading, ...others].toSorted((a, b) => b.minute - a.minute).slice(0, MOST_READINGS);
  }

  /** Has minutes from `minute` on read again. */
  readAgainFrom(minute: number): void {
    this.#readings = this.#readings.map((reading) => ({ ...reading, minute: Math.min(reading.minute, minute) }));
    this.#row = { ...this.#row, minute: Math.min(this.#row.minute, minute) };
  }

  #furthest(offsetMs: number): Reading {
    const first: Reading = { offsetMs: Number.NEGATIVE_INFINITY, minute: this.first(offsetMs) };
    return this.#readings
      .filter((reading) => reading.offsetMs <= offsetMs + HARMLESS_LEAD_MS)
      .reduce((furthest, reading) => (reading.minute > furthest.minute ? reading : furthest), first);
  }

  /** Where reading began: at the watermark, unless its writer's clock evidently led. Then what it read while it led is read again. */
  first(offsetMs: number): number {
    const claimedAt = this.#claimedAtMs + offsetMs;
    const present = minuteOf(claimedAt);
    if (!isAhead(this.#row.minute, claimedAt)) return this.#row.minute;
    const again = present - Math.max(this.#row.minute - present, LED_FOR_MINUTES);
    return this.#row.dropped > present ? again : Math.max(this.#row.dropped, again);
  }
}

/** Whether no clock that is right can have left a watermark at `minute`: what is still to come has not passed. */
export function isAhead(minute: number, now: number): boolean {
  return minute * MINUTE_MS > now + HARMLESS_LEAD_MS;
}

export function offsetOf(clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.now() - clock.monotonic();
}
