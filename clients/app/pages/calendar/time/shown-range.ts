import type { CalendarView } from '../../../address/calendar-search.ts';
import { addDays, addMonths, daysFrom, weekOf } from './dates.ts';

const WEEKS_OF_MONTH = 6;

/** What a view shows, and the weeks that are fetched for it: weeks are kept, so views share them. */
export interface ShownRange {
  readonly days: readonly string[];
  /** Their first days. */
  readonly weeks: readonly string[];
}

/** `firstWeekday`: the day that weeks begin with; 0: Sunday. */
export function shownRange(view: CalendarView, date: string, firstWeekday: number): ShownRange {
  if (view === 'month') {
    const first = weekOf(`${date.slice(0, 7)}-01`, firstWeekday);
    const weeks = Array.from({ length: WEEKS_OF_MONTH }, (_, index) => addDays(first, 7 * index));
    return { days: daysFrom(first, 7 * WEEKS_OF_MONTH), weeks };
  }
  const week = weekOf(date, firstWeekday);
  return { days: view === 'day' ? [date] : daysFrom(week, 7), weeks: [week] };
}

/** The date to show after going one view on (1) or back (-1). */
export function neighbourOf(view: CalendarView, date: string, direction: 1 | -1): string {
  if (view === 'month') return addMonths(date, direction);
  return addDays(date, direction * (view === 'day' ? 1 : 7));
}
