import { CalendarDateTime, toZoned, type ZonedDateTime } from '@internationalized/date';

export interface ClockTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second?: number;
}

/** An instant, or words that say why there is none and what to write instead. */
export type InstantReading =
  { readonly ok: true; readonly instant: number } | { readonly ok: false; readonly message: string };

/** 9999-12-31T23:59:59.999Z: what is after it has a year of five digits, which the API does not take. */
const LAST = 253_402_300_799_999;

/**
 * Short names of one zone each. Of all others the tables of `Intl` have one of several meanings, and rarely the one
 * that is meant: BST is Dhaka there and not London, AST is Anchorage, and EST stays five hours behind UTC in summer.
 */
const CLEAR_SHORT_NAMES = new Set(['UTC', 'GMT', 'WET', 'CET', 'MET', 'EET']);

/**
 * The instant at which clocks of the zone show this time. A night on which clocks go forward has no such instant for
 * an hour, and one on which they go back has two: both are refused, naming the two instants to choose from.
 */
export function instantIn(zone: string, wall: ClockTime): InstantReading {
  const { year, month, day, hour, minute, second = 0 } = wall;
  const text = `${pad(year, 4)}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}`;
  const unreal = { ok: false, message: `${text} is in no calendar. Write it as 2026-12-01 09:00` } as const;
  if (!isReal(wall)) return unreal;
  if (/^[a-z]{3}$/i.test(zone) && !CLEAR_SHORT_NAMES.has(zone.toUpperCase()))
    return { ok: false, message: `"${zone}" is a short name that several zones have. Write one such as Europe/Berlin` };
  const local = new CalendarDateTime(year, month, day, hour, minute, second);
  const [earlier, later] = bothIn(zone, local) ?? [];
  if (earlier === undefined || later === undefined)
    return { ok: false, message: `"${zone}" is no zone. Write a name such as Europe/Berlin` };
  const instant = earlier.toDate().getTime();
  if (instant < 0 || instant > LAST) return unreal;
  if (earlier.compare(later) === 0) return { ok: true, instant };
  const choice = `Write ${shown(earlier)} or ${shown(later)}`;
  const message =
    earlier.hour === hour && earlier.minute === minute
      ? `${text} is there twice in ${zone}, because clocks go back then. ${choice}`
      : `${text} is not there in ${zone}, because clocks go forward then. ${choice}`;
  return { ok: false, message };
}

/** The first and the last instant of a local time, which are nearly always the same; null: Intl knows no such zone. */
function bothIn(zone: string, local: CalendarDateTime): [ZonedDateTime, ZonedDateTime] | null {
  try {
    // An offset such as +02:00 is no zone in which clocks are changed.
    return /^[A-Za-z]/.test(zone) ? [toZoned(local, zone, 'earlier'), toZoned(local, zone, 'later')] : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `2026-10-25T02:30+01:00` */
function shown(at: ZonedDateTime): string {
  const offsetMinutes = at.offset / 60_000;
  const sign = offsetMinutes < 0 ? '-' : '+';
  const offset = `${pad(Math.trunc(Math.abs(offsetMinutes) / 60))}:${pad(Math.abs(offsetMinutes) % 60)}`;
  return `${pad(at.year, 4)}-${pad(at.month)}-${pad(at.day)}T${pad(at.hour)}:${pad(at.minute)}${sign}${offset}`;
}

function isReal({ year, month, day, hour, minute, second = 0 }: ClockTime): boolean {
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  return (
    year >= 1970 &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  );
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
