const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Days since the epoch, UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS);
}

export function dayStart(day: number): number {
  return day * DAY_MS;
}

/** Spans of seven days since the epoch; they begin on Thursdays, UTC. */
export function weekOf(instant: number): number {
  return Math.floor(instant / WEEK_MS);
}

export function weekStart(week: number): number {
  return week * WEEK_MS;
}
