import { expect, test } from 'vitest';
import { addDays } from './dates.ts';
import { dayWords, longDayWords, monthWords, weekdayWords, weekWords } from './time-texts.ts';

const formatted = (date: string, options: Intl.DateTimeFormatOptions): string =>
  // Versions of the tables of languages differ in the comma after a long weekday.
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(new Date(date)).replace(',', '');

test('dates are written as browsers write them in British English, on every day of four years', () => {
  const [day, month, year] = ['numeric', 'long', 'numeric'] as const;
  for (let date = '2027-12-30'; date < '2032-01-02'; date = addDays(date, 1)) {
    expect(dayWords(date)).toBe(formatted(date, { weekday: 'short', day, month: 'short' }));
    expect(longDayWords(date)).toBe(formatted(date, { weekday: 'long', day, month, year }));
    expect(monthWords(date)).toBe(formatted(date, { month, year }));
    expect(weekdayWords(date)).toBe(formatted(date, { weekday: 'short' }));
  }
});

test('a week names its month once, and its year at the end', () => {
  expect(weekWords('2026-11-23')).toBe('23 – 29 Nov 2026');
  expect(weekWords('2026-09-28')).toBe('28 Sept – 4 Oct 2026');
  expect(weekWords('2026-12-28')).toBe('28 Dec – 3 Jan 2027');
});
