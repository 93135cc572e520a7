const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** Weeks since the epoch. */
export function dueWeekOf(instant: number): number {
  return Math.floor(instant / WEEK_MS);
}
