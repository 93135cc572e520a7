import { HARMLESS_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import type { Clock } from '#ports/clock.ts';
import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import type { ShardBody } from '#tables/repositories/shards.ts';

/** A watermark may be ahead of our clock by this much before its writer's clock is taken for one that led. */
const CLOCKS_APART_MS = 20_000;
/** A clock that is put right returns to its offset before it led to within this. */
const PUT_RIGHT_WITHIN_MS = 5_000;
/** The least time for which a former owner's clock is taken to have led, if its watermark is ahead of our clock. */
const LED_FOR_MINUTES = 60;

/**
 * The next minute to be read, and the offset of wall time to monotonic time under which that was so, in milliseconds.
 */
interface ReadPosition {
  readonly minute: number;
  readonly offsetMs: number;
}

/** A reading of minutes, from the first that was not read. */
export interface TimerRead {
  readonly from: number;
  /** Every minute before this one has been read. */
  readTo(minute: number): void;
  /** Whether what was read of a minute so far need not be read again: the clock was not put back since. */
  mayGoOn(): boolean;
}

/**
 * How far the minutes of a claimed shard have been read *in time*.
 *
 * A minute that was read too early must be read again: processes whose clocks are right set timers for it afterwards,
 * and those are rows only. That it was too early shows when the clock is put back: wall time falls against monotonic
 * time, that is, their offset falls. The modes, by that offset:
 *
 * - level: the offset is where it was, give or take HARMLESS_LEAD_MS. Minutes are read one after the other.
 * - risen: the clock leapt ahead, and where reading stood before is kept. A further rise changes nothing. Whether the
 *   clock leads now, or lagged before, can not be known yet.
 * - A fall by more than HARMLESS_LEAD_MS leads back to level, or stays risen where the clock is still higher than
 *   before it rose. Either way a new era begins, in which readings under way do not count. From risen to where the
 *   offset was before, minutes are read again from where reading stood then. After anything else (a process started
 *   with its clock ahead, several leaps, a machine that slept), they are read again from where the shard was claimed.
 *
 * A clock that lagged for a while pays for that caution: its lagging looks like having led, and timers that had fired
 * fire once more.
 */
export class ReadPositions {
  readonly #row: Required<Pick<ShardBody, 'minute' | 'doubted' | 'dropped'>>;
  readonly #claimedAtMs: number;
  readonly #claimOffsetMs: number;
  /** Where reading began, or would have begun by the lowest offset since. */
  #start: number;
  #next: number;
  /** The highest offset under which minutes before `#next` were read. */
  #offsetMs: number;
  /** Set while risen: where reading stood before. */
  #beforeRise: ReadPosition | null = null;
  /** Changes when something that was read no longer counts, so that a reading under way does not count either. */
  #era = 0;

  /** For a shard that is claimed now, with the row it was claimed with. */
  constructor(row: Pick<ShardBody, 'minute' | 'doubted' | 'dropped'>, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#row = { minute: row.minute, doubted: row.doubted ?? row.minute, dropped: row.dropped };
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
   * Begins a reading of the minutes that are near by the clock as it is now. They count as read in time by this offset,
   * whatever the offset is when they have been read.
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
      mayGoOn: () => era === this.#era && offsetOf(clock) >= offsetMs - HARMLESS_LEAD_MS,
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
    // The clock may have led by as much as it fell when the shard was claimed, even if the machine slept since.
    const claimedBy = Math.min(offsetMs, this.#claimOffsetMs - (this.#offsetMs - offsetMs));
    this.#start = Math.min(this.#start, this.first(claimedBy));
    this.#next = Math.min(this.#next, isUndone ? before.minute : this.#start);
    this.#offsetMs = offsetMs;
    // Put back in part, it still leads: the watermark stays doubtful from where it rose.
    if (before !== null && offsetMs <= before.offsetMs + HARMLESS_LEAD_MS) this.#beforeRise = null;
  }

  /** While risen: every minute before this one was read before the clock rose. Null: not risen. */
  get beforeRise(): number | null {
    return this.#beforeRise?.minute ?? null;
  }

  /**
   * Where reading begins: at the watermark, or where it became doubtful. If the watermark lies in the future, its
   * writer's clock led. What it read since then is read again, which is everything there is if its clock led from the
   * beginning: since when is not known, and the installation may have been stopped in between.
   */
  first(offsetMs: number): number {
    const { minute, doubted, dropped } = this.#row;
    const claimedAt = this.#claimedAtMs + offsetMs;
    if (!isAhead(minute, claimedAt)) return doubted;
    const present = minuteOf(claimedAt);
    const again = present - Math.max(minute - present, LED_FOR_MINUTES);
    if (dropped > present) return again;
    return isAhead(doubted, claimedAt) ? dropped : Math.max(dropped, Math.min(doubted, again));
  }
}

/** Whether only a clock that led can have left a watermark at `minute`. */
export function isAhead(minute: number, now: number): boolean {
  return minuteStart(minute) > now + CLOCKS_APART_MS;
}

export function offsetOf(clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.now() - clock.monotonic();
}
