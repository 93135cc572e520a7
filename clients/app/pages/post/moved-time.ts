import { changeOfClocks, instantOf, wallClockOf } from '../compose/schedule/wall-clock.ts';

/** What a time that was written over that of a Post means. `problem`: why it means none. */
export type MovedTime =
  { readonly at: number; readonly problem: null } | { readonly at: null; readonly problem: string };

/** `2026-11-24T09:00`: what clocks of the zone show at an instant, as the field for a time takes it. */
export function writtenTime(at: number, timeZone: string): string {
  const { date, time } = wallClockOf(at, timeZone);
  return `${date}T${time}`;
}

export interface MovedTimeOptions {
  /** When the Post is due; Unix ms. */
  readonly before: number;
  /** By the server's clock; Unix ms. */
  readonly now: number;
  readonly timeZone: string;
}

/**
 * The instant that is written. Of two at which clocks show it, the first is meant, but for the time that the Post has:
 * that stays the one which it is. A time that clocks skip is refused, and one that is over: the Post would be published
 * at once.
 */
export function movedTime(written: string, { before, now, timeZone }: MovedTimeOptions): MovedTime {
  const [date = '', time = ''] = written.split('T');
  const fold = written === writtenTime(before, timeZone) ? wallClockOf(before, timeZone).fold : 'earlier';
  const wall = { date, time: time.slice(0, 5), fold };
  const at = instantOf(wall, timeZone);
  if (at === null) return { at, problem: changeOfClocks(wall, timeZone) ?? 'Write a date and a time.' };
  return at <= now ? { at: null, problem: 'That time is over. Choose a later one.' } : { at, problem: null };
}
