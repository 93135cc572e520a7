import { offsetOf } from '../../../preferences/time-zone.ts';
import { addDays } from './dates.ts';

const MINUTE_MS = 60_000;
/** No zone has changed its clocks at another time than a quarter of an hour since 1972. */
const STEP_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What the clocks of a zone show. */
export interface ShownTime {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Since midnight, by what the clock shows. */
  readonly minutes: number;
  /** Clocks were put back: they show this time for the second time. */
  readonly isSecond: boolean;
}

/** The part of an hour, by what the clock shows, that a day has: most days have 24, whole ones. */
export interface HourSlot {
  readonly hour: number;
  readonly isSecond: boolean;
  /** Unix ms; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/**
 * Turns instants into what the clocks of one zone show, and back. Thousands of instants of a week cost a few questions
 * to the browser's table of zones: a day without a change of the clocks has one offset, which is kept.
 */
export class ZoneClock {
  readonly timeZone: string;
  /** By UTC day; null: the clocks change in it. */
  readonly #days = new Map<number, number | null>();
  /** How days since 1970 are written. */
  readonly #dates = new Map<number, string>();
  /** By quarter of an hour, for days in which the clocks change. */
  readonly #quarters = new Map<number, number>();

  /** Throws RangeError for a zone that this browser does not know. */
  constructor(timeZone: string) {
    offsetOf(timeZone, 0);
    this.timeZone = timeZone;
  }

  /** How far the zone is ahead of UTC at that instant, in ms. */
  offsetAt(at: number): number {
    const day = Math.floor(at / DAY_MS);
    let ofDay = this.#days.get(day);
    if (ofDay === undefined) {
      const first = this.#readOffset(day * DAY_MS);
      ofDay = first === this.#readOffset((day + 1) * DAY_MS - 1) ? first : null;
      this.#days.set(day, ofDay);
    }
    if (ofDay !== null) return ofDay;
    const quarter = Math.floor(at / STEP_MS);
    let offset = this.#quarters.get(quarter);
    if (offset === undefined) {
      offset = this.#readOffset(quarter * STEP_MS);
      this.#quarters.set(quarter, offset);
    }
    return offset;
  }

  wallTimeOf(at: number): ShownTime {
    const offset = this.offsetAt(at);
    const shown = at + offset;
    const day = Math.floor(shown / DAY_MS);
    return {
      date: this.#dateOf(day),
      minutes: Math.floor((shown - day * DAY_MS) / MINUTE_MS),
      isSecond: this.#isSecond(at, offset),
    };
  }

  /**
   * The instant at which the clock shows that time; of two, the first, unless `isSecond`. A time that the clock skips
   * becomes the one that is as much later as it skips.
   */
  instantOf({ date, minutes, isSecond }: ShownTime): number {
    const shown = Date.parse(date) + minutes * MINUTE_MS;
    // No zone changes its clocks twice within two days.
    const [before, after] = [this.offsetAt(shown - DAY_MS), this.offsetAt(shown + DAY_MS)];
    const [first, second] = [shown - before, shown - after];
    const isFirst = this.offsetAt(first) === before;
    const isAlsoSecond = this.offsetAt(second) === after;
    // What is skipped is counted on by the offset from before.
    if (!isFirst && !isAlsoSecond) return first;
    return isFirst && !(isSecond && isAlsoSecond) ? first : second;
  }

  /** The first instant of a day. */
  startOf(date: string): number {
    return this.instantOf({ date, minutes: 0, isSecond: false });
  }

  /** The same time of day on another date. */
  onDate(at: number, date: string): number {
    return this.instantOf({ date, minutes: this.wallTimeOf(at).minutes, isSecond: false });
  }

  /** The hours of a day in their order: 23 or 25 when clocks change, none of a day that the zone skipped. */
  hoursOf(date: string): readonly HourSlot[] {
    const from = this.startOf(date);
    const to = this.startOf(addDays(date, 1));
    if (this.#hasOneOffset(from, to))
      return Array.from({ length: 24 }, (_, hour) => {
        const begin = from + hour * 60 * MINUTE_MS;
        return { hour, isSecond: false, from: begin, to: begin + 60 * MINUTE_MS };
      });
    const slots: { hour: number; isSecond: boolean; from: number; to: number }[] = [];
    for (let at = from; at < to; at += STEP_MS) {
      const wall = this.wallTimeOf(at);
      const hour = Math.floor(wall.minutes / 60);
      const last = slots.at(-1);
      if (last !== undefined && last.hour === hour && last.isSecond === wall.isSecond) last.to = at + STEP_MS;
      else slots.push({ hour, isSecond: wall.isSecond, from: at, to: at + STEP_MS });
    }
    return slots;
  }

  /** Neither do clocks change in [from, to), a day of 24 hours, nor do they show again what they showed before it. */
  #hasOneOffset(from: number, to: number): boolean {
    const [first, last] = [Math.floor((from - DAY_MS) / DAY_MS), Math.floor(to / DAY_MS)];
    const offset = this.offsetAt(from);
    for (let day = first; day <= last; day++)
      if (this.offsetAt(day * DAY_MS) !== offset || this.#days.get(day) !== offset) return false;
    return to - from === DAY_MS;
  }

  #isSecond(at: number, offset: number): boolean {
    const before = this.offsetAt(at - 3 * 60 * MINUTE_MS);
    // The clock showed the same when it was still ahead by the difference, if it was so then.
    return before > offset && this.offsetAt(at - (before - offset)) === before;
  }

  #dateOf(day: number): string {
    let date = this.#dates.get(day);
    if (date === undefined) {
      date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      this.#dates.set(day, date);
    }
    return date;
  }

  #readOffset(at: number): number {
    return offsetOf(this.timeZone, at);
  }
}

/** The zone of that name, or where the browser knows none, UTC. */
export function clockOf(timeZone: string): ZoneClock {
  try {
    return new ZoneClock(timeZone);
  } catch {
    return new ZoneClock('UTC');
  }
}
