import { instantOf, nextHour, wallClockOf } from '../schedule/wall-clock.ts';
import type { ChosenTime, ComposeTime } from './compose-draft.ts';

/** An instant, Unix ms, as clocks of the zone show it. */
export function chosenTime(at: number, timeZone: string): ChosenTime {
  return { kind: 'at', ...wallClockOf(at, timeZone), zone: timeZone };
}

/** The time that is offered where none was chosen. */
export function offeredTime(now: number, timeZone: string): ChosenTime {
  return { kind: 'at', ...nextHour(now, timeZone), zone: timeZone };
}

/** The zone whose clocks show the time. `timeZone`: that which times are in now, here and below. */
export function zoneOf({ zone }: ChosenTime, timeZone: string): string {
  return zone ?? timeZone;
}

/** The instant that is meant, by the zone in which the time was chosen; null: none is, or it does not exist. */
export function dueAt(when: ChosenTime, timeZone: string): number | null {
  return instantOf(when, zoneOf(when, timeZone));
}

/**
 * The same instant by the clocks of `timeZone`: the zone may have changed since the time was chosen. What is no instant
 * yet stays as it was written.
 */
export function inZone(when: ChosenTime, timeZone: string): ChosenTime;
export function inZone(when: ComposeTime, timeZone: string): ComposeTime;
export function inZone(when: ComposeTime, timeZone: string): ComposeTime {
  if (when.kind === 'now' || when.zone === timeZone) return when;
  const at = dueAt(when, timeZone);
  return at === null ? { ...when, zone: timeZone } : chosenTime(at, timeZone);
}

/** To be published at once. The time that was chosen before is remembered. */
export function asNow(when: ComposeTime): ComposeTime {
  if (when.kind === 'now') return when;
  return when.date === '' && when.time === '' ? { kind: 'now' } : { kind: 'now', chosen: when };
}

/** To be published at a time: at the one that was chosen before, else at the one that is offered. */
export function asTimed(when: ComposeTime, now: number, timeZone: string): ComposeTime {
  if (when.kind === 'at') return when;
  return when.chosen === undefined ? offeredTime(now, timeZone) : inZone(when.chosen, timeZone);
}
