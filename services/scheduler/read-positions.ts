import type { Clock } from '#ports/clock.ts';
import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import type { ShardBody } from '#tables/repositories/shards.ts';

/**
 * A clock may lead by this much without harm. A minute is read 30 s before it begins, is 60 s long, and whoever sets a
 * timer within 5 min of its instant also tells the shard's owner through timers.v1: read up to 205 s too early, no
 * timer of the minute is missed. The rest is for what a watermark may be ahead, and for differences among the clocks of
 * those who set timers.
 */
export const HARMLESS_LEAD_MS = 180_000;
/** A watermark may be ahead of our clock by this much without its writer's being taken for one that led. */
const CLOCKS_APART_MS = 20_000;
/** A clock that is put right comes back to where it was before it led as exactly as that. */
const PUT_RIGHT_WITHIN_MS = 5_000;
/** For how long a former owner's clock may have led, at least, that left a watermark ahead of ours. */
const LED_FOR_MINUTES = 60;

/** Where reading stood, and by which offset of wall time to monotonic time, in milliseconds. */
interface Stand {
  readonly minute: number;
  readonly offsetMs: number;
}

/** Minutes that are being read. */
export interface TimerRead {
  readonly from: number;
  /** Every minute before this one has been read. */
  readTo(minute: number): void;
}

/**
 * How far the minutes of a claimed shard have been read *in time*.
 *
 * A minute that is read too early is read in vain: timers that are set for it afterwards, by processes with the right
 * time, are rows that nobody reads again. Whether it was too early shows only when the clock is put back: then wall
 * time falls against monotonic time. What was read since that rose, if it rose once and falls to where it was, is read
 * again; after anything else (a process that was started with the clock ahead, several leaps, a machine that slept
 * meanwhile) all that is kept since the shard was claimed. A clock that lagged for a while pays for that caution: its
 * return looks like nothing, its lagging like having led, and what had fired fires once more.
 */
export class ReadPositions {
  readonly #row: Pick<ShardBody, 'minute' | 'dropped'>;
  readonly #claimedAtMs: number;
  readonly #claimOffsetMs: number;
  /** Where reading began, or would have begun if the clock had been right by then as it was at any time since. */
  #start: number;
  #next: number;
  /** The highest offset under which minutes before `#next` were read. */
  #offsetMs: number;
  /** Where reading stood before the clock first rose since then. */
  #beforeRise: Stand | null = null;
  /** Changes when something that was read no longer counts. */
  #era = 0;

  /** For a shard that is claimed now, with the row it was claimed with. */
  constructor(row: Pick<ShardBody, 'minute' | 'dropped'>, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#row = { minute: row.minute, dropped: row.dropped };
    this.#claimedAtMs = clock.monotonic();
    this.#claimOffsetMs = offsetOf(clock);
    this.#offsetMs = this.#claimOffsetMs;
    this.#start = this.first(this.#offsetMs);
    this.#next = this.#start;
  }

  /** Every minute before this one has been read, and in time if the clock is right now. */
  next(clock: Pick<Clock, 'now' | 'monotonic'>): number {
    const offsetMs = offsetOf(clock);
    if (offsetMs < this.#offsetMs - HARMLESS_LEAD_MS) this.#goBack(offsetMs);
    else if (offsetMs > this.#offsetMs + HARMLESS_LEAD_MS)
      this.#beforeRise ??= { minute: this.#next, offsetMs: this.#offsetMs };
    return this.#next;
  }

  /**
   * For minutes that the clock says are to be read now: what it says later is no reason to believe that they were read
   * in time.
   */
  begin(clock: Pick<Clock, 'now' | 'monotonic'>): TimerRead {
    const from = this.next(clock);
    const [era, offsetMs] = [this.#era, offsetOf(clock)];
    return {
      from,
      readTo: (minute) => {
        if (era !== this.#era || minute <= this.#next) return;
        this.#next = minute;
        this.#offsetMs = Math.max(this.#offsetMs, offsetMs);
      },
    };
  }

  /** Has minutes from `minute` on read again. */
  readAgainFrom(minute: number): void {
    this.#era += 1;
    this.#next = Math.min(this.#next, minute);
    this.#start = Math.min(this.#start, minute);
  }

  #goBack(offsetMs: number): void {
    const before = this.#beforeRise;
    const isUndone = before !== null && Math.abs(offsetMs - before.offsetMs) <= PUT_RIGHT_WITHIN_MS;
    this.#era += 1;
    // However long the machine slept meanwhile, the clock may have led by as much when the shard was claimed.
    const claimedBy = Math.min(offsetMs, this.#claimOffsetMs - (this.#offsetMs - offsetMs));
    this.#start = Math.min(this.#start, this.first(claimedBy));
    this.#next = Math.min(this.#next, isUndone ? before.minute : this.#start);
    this.#offsetMs = offsetMs;
    this.#beforeRise = null;
  }

  /**
   * Where reading begins: at the watermark, unless its writer's clock evidently led. Then what it read while it led is
   * read again.
   */
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
  return minuteStart(minute) > now + CLOCKS_APART_MS;
}

export function offsetOf(clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.now() - clock.monotonic();
}
