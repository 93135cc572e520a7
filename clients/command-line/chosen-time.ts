import { clockOf, readTime } from '#clients/csv/written-time.ts';
import { instantIn } from '#clients/csv/wall-time.ts';
import { UsageError } from './usage-error.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DURATION = /^\+((?:\d+[smhdw])+)$/;
const NAMED_DAY = /^(today|tomorrow)\s+(\S+(?:\s*[ap]m)?)(?:\s+(\S+))?$/i;

/** The zone of this machine, such as Europe/Berlin. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * The instant that a person chose with --at: `+2h`, `tomorrow 09:00`, `2026-12-01 09:00`, each of the latter in the
 * machine's zone unless one stands behind it, or ISO 8601. Throws UsageError.
 */
export function chosenTime(text: string, now: number, zone: string): number {
  const [, duration] = DURATION.exec(text.trim()) ?? [];
  if (duration !== undefined)
    return (
      now + [...duration.matchAll(/(\d+)([smhdw])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNIT_MS[unit!]!, 0)
    );
  const [, day, time, named = zone] = NAMED_DAY.exec(text.trim()) ?? [];
  const clock = time === undefined ? null : clockOf(time);
  const reading =
    clock === null ? readTime(text, { zone }) : instantIn(named, { ...dayIn(named, now, day!), ...clock });
  if (reading.ok) return reading.instant;
  throw new UsageError(`${reading.message}${/is no time/.test(reading.message) ? ', tomorrow 09:00, or +2h' : ''}`);
}

/** What the calendar of the zone says today, or a day later. */
function dayIn(zone: string, now: number, day: string): { year: number; month: number; day: number } {
  const [year, month, date] = dateIn(zone, now);
  const shifted = new Date(Date.UTC(year, month - 1, date + (day.toLowerCase() === 'tomorrow' ? 1 : 0)));
  return { year: shifted.getUTCFullYear(), month: shifted.getUTCMonth() + 1, day: shifted.getUTCDate() };
}

function dateIn(zone: string, now: number): [number, number, number] {
  try {
    const text = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' }).format(now);
    return text.split('-').map(Number) as [number, number, number];
  } catch {
    throw new UsageError(`"${zone}" is no zone. Write a name such as Europe/Berlin`);
  }
}

/** `Tue 2026-12-01 09:00 (Europe/Berlin)`: an instant for a person. */
export function shownTime(instant: string | number, zone: string): string {
  const at = new Date(instant);
  const day = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' }).format(at);
  return `${day} ${new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(at)}`;
}
