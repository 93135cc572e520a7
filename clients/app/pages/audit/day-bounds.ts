import { parseDate } from '@internationalized/date';

/** The first instant of a day in that zone and of the day after it; ISO 8601. `day`: such as 2026-11-23. */
export function dayBounds(day: string, timeZone: string): { readonly begin: string; readonly end: string } {
  const date = parseDate(day);
  return {
    begin: date.toDate(timeZone).toISOString(),
    end: date.add({ days: 1 }).toDate(timeZone).toISOString(),
  };
}
