import { parseDateTime, toZoned, fromAbsolute, type ZonedDateTime } from '@internationalized/date';

/** A date and a time as somebody reads them off a wall. */
export interface WallClock {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
  readonly fold: 'earlier' | 'later';
}

/**
 * Which instants a clock on a wall shows as this: `once`, `never` (clocks go forward over it; `after` is the first
 * time that exists), or `twice` (clocks go back). `none`: no date or time was given. Instants are Unix ms.
 */
export type Instants =
  | { readonly kind: 'none' }
  | { readonly kind: 'once'; readonly at: number }
  | { readonly kind: 'twice'; readonly earlier: number; readonly later: number }
  | { readonly kind: 'never'; readonly after: number };

/** `timeZone`: an IANA name. */
export function instantsOf({ date, time }: WallClock, timeZone: string): Instants {
  const wall = parsed(date, time);
  if (wall === null) return { kind: 'none' };
  const [earlier, later] = (['earlier', 'later'] as const).map((side) => toZoned(wall, timeZone, side));
  const [first, second] = [earlier!.toDate().getTime(), later!.toDate().getTime()];
  if (first === second) return { kind: 'once', at: first };
  // Over a gap `earlier` and `later` read the clock by the rules of before and after it, so neither shows that time.
  if (shows(earlier!, time) && shows(later!, time)) return { kind: 'twice', earlier: first, later: second };
  return { kind: 'never', after: changeBetween(Math.min(first, second), Math.max(first, second), timeZone) };
}

/** The instant that is meant; null: none is, or it does not exist. */
export function instantOf(wall: WallClock, timeZone: string): number | null {
  const instants = instantsOf(wall, timeZone);
  if (instants.kind === 'once') return instants.at;
  return instants.kind === 'twice' ? instants[wall.fold] : null;
}

/** What a clock on a wall shows at an instant. `fold` tells which, where it shows the same twice. */
export function wallClockOf(at: number, timeZone: string): WallClock {
  const zoned = fromAbsolute(at, timeZone);
  const [date, time] = zoned.toString().split('T');
  const wall = { date: date!, time: time!.slice(0, 5), fold: 'earlier' } as const;
  const instants = instantsOf(wall, timeZone);
  const minute = Math.floor(at / MINUTE_MS);
  const isLater = instants.kind === 'twice' && Math.floor(instants.later / MINUTE_MS) === minute;
  return { ...wall, fold: isLater ? 'later' : 'earlier' };
}

/** The next full hour that is at least half an hour away, by the clock of a zone: some are half an hour off others. */
export function nextHour(now: number, timeZone: string): WallClock {
  const soonest = now + HOUR_MS / 2;
  const { offset } = fromAbsolute(soonest, timeZone);
  return wallClockOf(Math.ceil((soonest + offset) / HOUR_MS) * HOUR_MS - offset, timeZone);
}

/** "09:00", "GMT+1": how a zone calls an instant. */
export function zoneWordsOf(at: number, timeZone: string): { readonly time: string; readonly offset: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
  }).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return { time: `${part('hour')}:${part('minute')}`, offset: part('timeZoneName') };
}

/** For a person who chose a time at which clocks are changed; null: that time is as good as any. */
export function changeOfClocks(wall: WallClock, timeZone: string): string | null {
  const instants = instantsOf(wall, timeZone);
  if (instants.kind === 'never') {
    const { time } = zoneWordsOf(instants.after, timeZone);
    return `There is no ${wall.time} in ${timeZone} that night: clocks go forward over it. The first time after it is ${time}.`;
  }
  if (instants.kind === 'twice')
    return `${wall.time} comes twice in ${timeZone} that night, as clocks go back. Choose which one is meant.`;
  return null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function parsed(date: string, time: string) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return null;
  try {
    return parseDateTime(`${date}T${time}`);
  } catch {
    return null;
  }
}

function shows({ hour, minute }: ZonedDateTime, time: string): boolean {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` === time;
}

/** The instant within [from, to] at which the zone's offset changes. */
function changeBetween(from: number, to: number, timeZone: string): number {
  const offsetAt = (at: number) => fromAbsolute(at, timeZone).offset;
  const before = offsetAt(from - 1);
  let [low, high] = [from - 1, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
