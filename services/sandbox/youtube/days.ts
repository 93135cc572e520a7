const DAY_MS = 86_400_000;

/** Google's day is California's. */
const CALENDAR = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Los_Angeles',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** `YYYY-MM-DD`, in which text order is the order of time. */
export const pacificDay = (instant: number): string => CALENDAR.format(instant);

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;

/** How many days `later` is after `day`; negative when it is before. */
export const daysBetween = (day: string, later: string): number => (Date.parse(later) - Date.parse(day)) / DAY_MS;

/** How much of its day has passed, from 0 to 1; days of 23 and 25 hours count as 24. */
export function partOfDay(instant: number): number {
  const offset = Date.parse(pacificDay(instant));
  const isMidnight = (at: number) =>
    pacificDay(at) === pacificDay(instant) && pacificDay(at - 1) !== pacificDay(instant);
  const startsAt = [7, 8].map((hours) => offset + hours * 3_600_000).find(isMidnight);
  return Math.min(1, Math.max(0, (instant - (startsAt ?? offset)) / DAY_MS));
}
