import { addDays } from './dates.ts';

/** "09:05" of 545. */
export function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Minutes since midnight of "09:05"; null: it is no time. */
export function minutesOf(text: string): number | null {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const all = Number(hours) * 60 + Number(minutes);
  return Number(hours) < 24 && Number(minutes) < 60 ? all : null;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];

interface DateParts {
  readonly weekday: string;
  readonly day: number;
  readonly month: string;
  readonly shortMonth: string;
  readonly year: string;
}

/**
 * Dates are of no zone here. Written by hand as browsers write them in British English: the first thing that a page
 * asks of `Intl` costs 20 to 40 ms of script, and a calendar would need it for nothing else.
 */
function written(words: (parts: DateParts) => string): (date: string) => string {
  const known = new Map<string, string>();
  return (date) => {
    let text = known.get(date);
    if (text === undefined) {
      text = words(partsOf(date));
      known.set(date, text);
    }
    return text;
  };
}

function partsOf(date: string): DateParts {
  const [year, month, day] = date.split('-');
  const name = MONTHS[Number(month) - 1]!;
  return {
    weekday: WEEKDAYS[new Date(date).getUTCDay()]!,
    day: Number(day),
    month: name,
    // The one that has four letters.
    shortMonth: name === 'September' ? 'Sept' : name.slice(0, 3),
    year: year!,
  };
}

/** "Tue 24 Nov". */
export const dayWords = written(({ weekday, day, shortMonth }) => `${weekday.slice(0, 3)} ${day} ${shortMonth}`);
/** "Tuesday 24 November 2026". */
export const longDayWords = written(({ weekday, day, month, year }) => `${weekday} ${day} ${month} ${year}`);
/** "November 2026". */
export const monthWords = written(({ month, year }) => `${month} ${year}`);
/** "Tue". */
export const weekdayWords = written(({ weekday }) => weekday.slice(0, 3));
const shortDate = written(({ day, shortMonth }) => `${day} ${shortMonth}`);
const fullDate = written(({ day, shortMonth, year }) => `${day} ${shortMonth} ${year}`);

/** "23 – 29 Nov 2026" of a week's first day; "30 Nov – 6 Dec 2026" where the month changes. */
export function weekWords(first: string): string {
  const last = addDays(first, 6);
  const isOneMonth = first.slice(0, 7) === last.slice(0, 7);
  return `${isOneMonth ? Number(first.slice(8)) : shortDate(first)} – ${fullDate(last)}`;
}

/** "GMT+1" of a zone at an instant. */
export function offsetWords(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const sign = offsetMs < 0 ? '−' : '+';
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return offsetMs === 0 ? 'GMT' : `GMT${sign}${Math.floor(minutes / 60)}${rest}`;
}
