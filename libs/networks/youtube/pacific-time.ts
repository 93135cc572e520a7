const DAY_MS = 86_400_000;

/** What clocks in California are ahead of UTC at an instant, milliseconds; below 0. */
function offsetMs(instant: number): number {
  const wall = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/Los_Angeles',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(wall.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1_000) * 1_000;
}

/** The day it is in California, where YouTube counts them: YYYY-MM-DD. */
export function pacificDay(instant: number): string {
  return new Date(instant + offsetMs(instant)).toISOString().slice(0, 10);
}

/** The next midnight in California, when quotas begin anew. */
export function nextPacificMidnight(instant: number): number {
  const midnight = (Math.floor((instant + offsetMs(instant)) / DAY_MS) + 1) * DAY_MS;
  // The offset of that moment, which is another one in the nights that clocks change.
  return midnight - offsetMs(midnight - offsetMs(instant));
}
