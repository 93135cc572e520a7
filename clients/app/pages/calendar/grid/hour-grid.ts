import { hourKey } from '../cards/card-groups.ts';
import { clockText, dayWords, offsetWords } from '../time/time-texts.ts';
import type { HourSlot, ZoneClock } from '../time/zone-clock.ts';
import {
  NO_CARDS,
  type GridCell,
  type GridColumn,
  type GridModel,
  type GridModelOptions,
  type GridRow,
} from './grid-model.ts';

const HOUR_MS = 3_600_000;

export interface HourGridOptions extends GridModelOptions {
  readonly days: readonly string[];
  readonly clock: ZoneClock;
  /** Null: the viewer's clocks show the same. */
  readonly viewerClock: ZoneClock | null;
}

/**
 * Days as columns, hours as rows. An hour that one of the days has twice has two rows; days that have it once, or skip
 * it, have an empty cell there that can hold nothing.
 */
export function hourGrid({ days, clock, viewerClock, groups, today }: HourGridOptions): GridModel {
  const slots = days.map((date) => clock.hoursOf(date));
  const byKey = slots.map((ofDay) => new Map(ofDay.map((slot) => [nameOf(slot), slot])));
  const names = rowNames(slots);
  const rows = names.map(({ hour, isSecond }): GridRow => {
    const name = nameOf({ hour, isSecond });
    const times = byKey.flatMap((ofDay) => ofDay.get(name) ?? []);
    return {
      key: name,
      label: clockText(hour * 60),
      note: isSecond ? 'again' : null,
      viewerLabel: viewerClock && viewerTimes(times, viewerClock),
      cells: days.map((date, index) => cellOf(date, { hour, isSecond }, byKey[index]!.get(name), groups)),
    };
  });
  const first = slots.flat()[0]?.from ?? 0;
  return {
    columns: days.map((date, index) => columnOf(date, slots[index]!, today)),
    rows,
    axis: offsetWords(clock.offsetAt(first)),
    viewerAxis: viewerClock && offsetWords(viewerClock.offsetAt(first)),
  };
}

type HourName = Pick<HourSlot, 'hour' | 'isSecond'>;

function nameOf({ hour, isSecond }: HourName): string {
  return `${String(hour).padStart(2, '0')}${isSecond ? 'b' : ''}`;
}

/** Every hour, and each that a day has twice a second time, where that day has it. */
function rowNames(slots: readonly (readonly HourSlot[])[]): readonly HourName[] {
  const names: HourName[] = Array.from({ length: 24 }, (_, hour) => ({ hour, isSecond: false }));
  const seconds = new Set(slots.flat().flatMap(({ hour, isSecond }) => (isSecond ? [hour] : [])));
  return names.flatMap((name) => (seconds.has(name.hour) ? [name, { hour: name.hour, isSecond: true }] : [name]));
}

/** "08:00", or "08:00 / 09:00" in a week in which clocks change in one of the two zones. */
function viewerTimes(slots: readonly HourSlot[], viewerClock: ZoneClock): string {
  const times = slots.map(({ from }) => clockText(viewerClock.wallTimeOf(from).minutes));
  return [...new Set(times)].join(' / ');
}

function cellOf(
  date: string,
  { hour, isSecond }: HourName,
  slot: HourSlot | undefined,
  groups: GridModelOptions['groups'],
): GridCell {
  const key = hourKey({ date, minutes: hour * 60, isSecond });
  const time = clockText(hour * 60);
  const name = `${dayWords(date)}, ${time}${isSecond ? ' for the second time' : ''}`;
  const minutes = slot === undefined ? 0 : (slot.to - slot.from) / 60_000;
  const note = slot !== undefined ? (minutes === 60 ? null : `${minutes} min`) : isSecond ? null : 'Skipped';
  return {
    key,
    label: slot === undefined ? `${name}: this day has no such hour` : note === null ? name : `${name}, ${note}`,
    date,
    time: slot === undefined ? null : { from: slot.from, to: slot.to },
    hour: { hour, isSecond },
    cards: groups.get(key) ?? NO_CARDS,
    note,
    isOutside: false,
  };
}

function columnOf(date: string, slots: readonly HourSlot[], today: string): GridColumn {
  const hours = slots.reduce((sum, { from, to }) => sum + to - from, 0) / HOUR_MS;
  return { key: date, label: dayWords(date), note: hours === 24 ? null : `${hours} hours`, isToday: date === today };
}
