import { useMemo } from 'react';
import type { CalendarSearch } from '../../address/calendar-search.ts';
import { usePreference } from '../../preferences/use-preference.ts';
import { ownTimeZone } from '../../preferences/time-zone.ts';
import { WEEK_START } from '../../preferences/week-start.ts';
import { useNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { neighbourOf, shownRange } from './time/shown-range.ts';
import { useCalendarNavigation, useFilters } from './use-calendar-navigation.ts';
import { useCalendarPosts } from './use-calendar-posts.ts';
import { useZoneClock } from './use-zone-clock.ts';

/** What an address of the calendar shows: the range, the clocks, the Posts, and the ways to other addresses. */
export function useShownCalendar(search: CalendarSearch) {
  const { id: workspaceId, role, timeZone } = useWorkspace();
  const now = useNow();
  const [weekStart] = usePreference(WEEK_START);
  const clock = useZoneClock(search.zone ?? timeZone);
  const viewerClock = useZoneClock(ownTimeZone());
  const today = clock.wallTimeOf(now).date;
  const { view = 'week', date = today } = search;
  const firstWeekday = Number(weekStart);
  const range = useMemo(() => shownRange(view, date, firstWeekday), [view, date, firstWeekday]);
  const neighbours = useMemo(
    () => ([1, -1] as const).flatMap((step) => shownRange(view, neighbourOf(view, date, step), firstWeekday).weeks),
    [view, date, firstWeekday],
  );
  const filters = useFilters(search);
  const isByDay = view === 'month' || view === 'list';
  const posts = useCalendarPosts({ workspaceId, range, clock, filters, neighbours, isByDay });
  const go = useCalendarNavigation(search, { view, date });
  const canEdit = role !== 'viewer';
  return { workspaceId, canEdit, now, clock, viewerClock, today, view, date, firstWeekday, range, filters, posts, go };
}

export type ShownCalendar = ReturnType<typeof useShownCalendar>;
