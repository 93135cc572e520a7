const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** "in 20 min", "3 h ago", "now"; null: a day or more away, where a date says it better. */
export function relativeWords(at: number, now: number): string | null {
  const distance = Math.abs(at - now);
  if (distance >= DAY_MS) return null;
  if (distance < MINUTE_MS) return 'now';
  const words = distance < HOUR_MS ? `${Math.floor(distance / MINUTE_MS)} min` : `${Math.floor(distance / HOUR_MS)} h`;
  return at > now ? `in ${words}` : `${words} ago`;
}

/** "Tue 24 Nov 2026, 09:00 GMT+1": a date and a time that can not be mistaken, in that zone. */
export function absoluteWords(at: number, timeZone: string): string {
  return formatOf(timeZone).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes a hundred times as long as using it, and a calendar has thousands of times. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
    formats.set(timeZone, format);
  }
  return format;
}
