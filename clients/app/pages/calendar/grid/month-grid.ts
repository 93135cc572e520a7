import { addDays } from '../time/dates.ts';
import { longDayWords, weekdayWords } from '../time/time-texts.ts';
import type { ZoneClock } from '../time/zone-clock.ts';
import { NO_CARDS, type GridModel, type GridModelOptions } from './grid-model.ts';

export interface MonthGridOptions extends GridModelOptions {
  /** Whole weeks. */
  readonly days: readonly string[];
  /** `YYYY-MM`. */
  readonly month: string;
  readonly clock: ZoneClock;
}

/** Weekdays as columns, weeks as rows. */
export function monthGrid({ days, month, clock, groups, today }: MonthGridOptions): GridModel {
  const weeks = Array.from({ length: days.length / 7 }, (_, index) => days.slice(7 * index, 7 * index + 7));
  return {
    columns: weeks[0]!.map((date) => ({
      key: weekdayWords(date),
      label: weekdayWords(date),
      note: null,
      isToday: false,
    })),
    rows: weeks.map((week) => ({
      key: week[0]!,
      label: '',
      viewerLabel: null,
      note: null,
      cells: week.map((date) => ({
        key: date,
        label: `${longDayWords(date)}${date === today ? ', today' : ''}`,
        date,
        time: { from: clock.startOf(date), to: clock.startOf(addDays(date, 1)) },
        hour: null,
        cards: groups.get(date) ?? NO_CARDS,
        note: String(Number(date.slice(8))),
        isOutside: !date.startsWith(month),
      })),
    })),
    axis: '',
    viewerAxis: null,
  };
}
