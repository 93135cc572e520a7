import { useMemo } from 'react';
import type { CalendarView as ViewName } from '../../address/calendar-search.ts';
import type { CardGroups } from './cards/card-groups.ts';
import { hourGrid } from './grid/hour-grid.ts';
import { monthGrid } from './grid/month-grid.ts';
import type { PostGridActions } from './grid/post-grid-props.ts';
import { PostGrid } from './grid/post-grid.tsx';
import { PostList } from './post-list.tsx';
import type { ShownRange } from './time/shown-range.ts';
import { longDayWords, monthWords, weekWords } from './time/time-texts.ts';
import type { ZoneClock } from './time/zone-clock.ts';

export interface CalendarViewProps extends PostGridActions {
  readonly view: ViewName;
  readonly date: string;
  readonly range: ShownRange;
  readonly clock: ZoneClock;
  readonly viewerClock: ZoneClock;
  readonly today: string;
  readonly now: number;
  /** By hour in a week and a day, else by day. */
  readonly groups: CardGroups;
  readonly workspaceId: string;
  readonly canEdit: boolean;
  readonly isBusy: boolean;
}

/** rem: two Posts of 2.75, the control for more of 1.5, and what is between them. */
const HOUR_HEIGHT = 7.625;
/** rem: the day's number, three Posts of 1.5 and the control for more. */
const DAY_HEIGHT = 8.25;
/** The row at the top of an hour grid, unless the present hour is shown. */
const MORNING_ROW = 8;

/** The month, the week, the day or the list. */
export function CalendarView(props: CalendarViewProps) {
  const { view, date, range, clock, viewerClock, today, now, groups } = props;
  const { days } = range;
  const isHours = view === 'week' || view === 'day';
  const otherZone = isHours && differs(clock, viewerClock, days) ? viewerClock : null;
  const model = useMemo(
    () =>
      view === 'month'
        ? monthGrid({ days, month: date.slice(0, 7), clock, groups, today })
        : isHours
          ? hourGrid({ days, clock, viewerClock: otherZone, groups, today })
          : null,
    [view, isHours, days, date.slice(0, 7), clock, otherZone, today, groups],
  );
  if (model === null) return <PostList {...props} label={`Posts of ${weekWords(range.weeks[0]!)}`} />;
  const label =
    view === 'month' ? monthWords(date) : view === 'day' ? longDayWords(date) : `Week of ${weekWords(days[0]!)}`;
  return (
    <PostGrid
      // Each view has its own place to be scrolled to; the weeks of one view share it.
      key={view}
      {...props}
      viewId={view}
      label={label}
      model={model}
      look={isHours ? 'block' : 'line'}
      capacity={view === 'month' ? 3 : view === 'day' ? 6 : 2}
      rowHeight={isHours ? HOUR_HEIGHT : DAY_HEIGHT}
      firstRow={isHours ? firstHour(days, clock, today, now) : 0}
    />
  );
}

/** Whether the viewer's clocks show another time at some hour of these days. */
function differs(clock: ZoneClock, viewerClock: ZoneClock, days: readonly string[]): boolean {
  return days.some((date) => {
    const at = clock.startOf(date);
    return clock.offsetAt(at) !== viewerClock.offsetAt(at);
  });
}

function firstHour(days: readonly string[], clock: ZoneClock, today: string, now: number): number {
  if (!days.includes(today)) return MORNING_ROW;
  return Math.max(0, Math.floor(clock.wallTimeOf(now).minutes / 60) - 1);
}
