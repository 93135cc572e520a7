import { parseInstant } from '#schemas/http/instant.ts';
import { instantIn, type InstantReading, type ClockTime } from './wall-time.ts';

/** Which of the two numbers of 3/4/2026 is the day, where a file tells. */
export type SlashOrder = 'day first' | 'month first' | 'unknown';

export interface WrittenTimeOptions {
  /** The zone of times that name none. */
  readonly zone: string;
  readonly slashOrder?: SlashOrder;
}

const CLOCK = /^(\d{1,2})(?::|\.|h)(\d{2})(?::(\d{2}))?\s*([ap])?\.?m?\.?$/i;
const BARE_HOUR = /^(\d{1,2})\s*([ap])\.?m\.?$/i;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const DASHED = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/;

/** More than any date, time and zone: the pattern's time grows with the square of a text's length. */
const MOST_CHARACTERS = 200;

/** The date and the time of `2026-12-01 09:00`, and the zone behind it, if there is one. */
const MOMENT =
  /^(\S+?)(?:T|,?\s+)(\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\.\d+)?(?:\s*[ap]\.?m\.?(?=\s|$))?|\d{1,2}\s*[ap]\.?m\.?(?=\s|$))\s*(\S+)?$/i;

/**
 * The instant that a person wrote: ISO 8601 with a zone, or date and time with a zone's name behind them, or without,
 * which is then in `zone`. Dates are 2026-12-01, 1.12.2026, or with slashes where the order is known.
 */
export function readTime(text: string, { zone, slashOrder = 'unknown' }: WrittenTimeOptions): InstantReading {
  const written = text.trim();
  if (written.length > MOST_CHARACTERS) return unreadable(text);
  const exact = parseInstant(written.replace(' ', 'T')) ?? parseInstant(written);
  if (exact !== null) return { ok: true, instant: exact };
  const [, date = '', time = '', named = zone] = MOMENT.exec(written) ?? [];
  if (date === '') return unreadable(text);
  const zoneName = /^z$/i.test(named) ? 'UTC' : named;
  const day = dayOf(date, slashOrder);
  const clock = clockOf(time);
  if (day === 'ambiguous')
    return { ok: false, message: `${date} may be two different days. Write the date as 2026-12-31` };
  if (day === null || clock === null) return unreadable(text);
  return instantIn(zoneName, { ...day, ...clock });
}

/** Of all dates of a file: what their slashes mean. One day above 12 tells it for all. */
export function slashOrderOf(dates: readonly string[]): SlashOrder {
  const pairs = dates.flatMap((date) => {
    const [, first, second] = /^\s*(\d{1,2})\/(\d{1,2})\/\d{4}/.exec(date) ?? [];
    return first === undefined ? [] : [[Number(first), Number(second)] as const];
  });
  const [dayFirst, monthFirst] = [pairs.some(([first]) => first > 12), pairs.some(([, second]) => second > 12)];
  if (dayFirst === monthFirst) return 'unknown';
  return dayFirst ? 'day first' : 'month first';
}

type Day = Pick<ClockTime, 'year' | 'month' | 'day'>;

function dayOf(text: string, slashOrder: SlashOrder): Day | 'ambiguous' | null {
  const dashed = DASHED.exec(text);
  if (dashed !== null) return { year: Number(dashed[1]), month: Number(dashed[2]), day: Number(dashed[3]) };
  const dotted = DOTTED.exec(text);
  if (dotted !== null) return { day: Number(dotted[1]), month: Number(dotted[2]), year: Number(dotted[3]) };
  const slashed = SLASHED.exec(text);
  if (slashed === null) return null;
  const [first, second, year] = [Number(slashed[1]), Number(slashed[2]), Number(slashed[3])];
  if (first !== second && slashOrder === 'unknown') return 'ambiguous';
  return slashOrder === 'day first' ? { day: first, month: second, year } : { month: first, day: second, year };
}

/** `9:00`, `09:00:30`, `9.00`, `9h00`, `9:00 am`, `9pm`. Null for anything else. */
export function clockOf(text: string): Pick<ClockTime, 'hour' | 'minute' | 'second'> | null {
  const [, hour, minute, second, half] = CLOCK.exec(text.trim()) ?? [];
  const [, bareHour, bareHalf] = BARE_HOUR.exec(text.trim()) ?? [];
  const written = hour ?? bareHour;
  if (written === undefined) return null;
  const given = (half ?? bareHalf)?.toLowerCase();
  const value = Number(written);
  if (given !== undefined && (value < 1 || value > 12)) return null;
  const hours = given === undefined ? value : (value % 12) + (given === 'p' ? 12 : 0);
  return { hour: hours, minute: Number(minute ?? 0), second: Number(second ?? 0) };
}

function unreadable(text: string): InstantReading {
  return {
    ok: false,
    message: `"${text.trim()}" is no time. Write 2026-12-01 09:00, or with a zone 2026-12-01T09:00Z`,
  };
}
