const DAY_MS = 86_400_000;

/** Dates are `YYYY-MM-DD`, whatever the zone. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The same day of another month; its last day where that month is shorter. */
export function addMonths(date: string, months: number): string {
  const first = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(Number(date.slice(8)), last));
  return first.toISOString().slice(0, 10);
}

/** 0: Sunday. */
function weekdayOf(date: string): number {
  return new Date(date).getUTCDay();
}

/** The first day of the week of `date`, where weeks begin with `firstWeekday` (0: Sunday). */
export function weekOf(date: string, firstWeekday: number): string {
  return addDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7));
}

export function daysFrom(date: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => addDays(date, index));
}
