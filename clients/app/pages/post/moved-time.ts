import { changeOfClocks, instantOf, wallClockOf } from '../compose/schedule/wall-clock.ts';

/** What a time that was written over that of a Post means. `problem`: why it means none. */
export type MovedTime =
  { readonly at: number; readonly problem: null } | { readonly at: null; readonly problem: string };

/** `2026-11-24T09:00`: what clocks of the zone show at an instant, as the field for a time takes it. */
export function writtenTime(at: number, timeZone: string): string {
  const { date, time } = wallClockOf(at, timeZone);
  return `${date}T${time}`;
}

/**
 * The instant that is written. Of two at which clocks show it, the first is meant, but for the time that the Post has:
 * that stays the one which it is. A time that clocks skip is refused. `before`: when the Post is due, Unix ms.
 */
export function movedTime(written: string, before: number, timeZone: string): MovedTime {
  const [date = '', time = ''] = written.split('T');
  const fold = written === writtenTime(before, timeZone) ? wallClockOf(before, timeZone).fold : 'earlier';
  const wall = { date, time: time.slice(0, 5), fold };
  const at = instantOf(wall, timeZone);
  return at === null
    ? { at, problem: changeOfClocks(wall, timeZone) ?? 'Write a date and a time.' }
    : { at, problem: null };
}
