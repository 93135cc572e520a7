import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { queryClient } from '../../server/queries.ts';
import { whenIdle } from '../../start/when-idle.ts';
import { forgetOldWeeks, weekQuery } from './cards/calendar-cache.ts';
import type { CardsOfRange } from './cards/calendar-card.ts';
import { passes, type CardFilters } from './cards/card-filters.ts';
import { groupCards, hourKey, type CardGroups } from './cards/card-groups.ts';
import { cardPlacer, type PlacedCard } from './cards/placed-card.ts';
import type { ShownRange } from './time/shown-range.ts';
import { addDays } from './time/dates.ts';
import type { ZoneClock } from './time/zone-clock.ts';

export interface CalendarPostsOptions {
  readonly workspaceId: string;
  readonly range: ShownRange;
  readonly clock: ZoneClock;
  readonly filters: CardFilters;
  /** First days of the weeks that may be shown next; read when the browser has nothing else to do. */
  readonly neighbours: readonly string[];
  /** Else by hour. */
  readonly isByDay: boolean;
}

/** Live changes keep a week as it is on the server; it is read again when somebody comes back to it later. */
const FRESH_MS = 60_000;

/** The Posts of a range: read by weeks, filtered, placed in the zone, grouped. */
export function useCalendarPosts({ workspaceId, range, clock, filters, neighbours, isByDay }: CalendarPostsOptions) {
  // Not by its own `combine`: that compares each Card of the former weeks with those of the next.
  const results = useQueries({
    queries: range.weeks.map((week) => ({ ...weekQuery(workspaceId, week, clock), staleTime: FRESH_MS })),
  });
  const read = combine(results);
  usePrefetch(workspaceId, clock, neighbours, !read.isPending);
  const place = useMemo(() => cardPlacer(clock), [clock]);
  const pages = useSame(results.map(({ data }) => data));
  const { weeks } = range;
  const all = useMemo(() => onDays(placedIn(pages, weeks, clock, place), range), [pages, weeks, clock, place, range]);
  const shown = useMemo(() => all.filter(({ card }) => passes(card, filters)), [all, filters]);
  const groups = useGroups(shown, isByDay ? dateOf : hourKey);
  return { ...read, all, shown, groups };
}

/** Those of one hour or one day: `2026-11-24T09`, `2026-11-24`. */
export function cardsOfGroup(shown: readonly PlacedCard[], group: string): readonly PlacedCard[] {
  const keyOf = group.includes('T') ? hourKey : dateOf;
  return groupCards(shown, keyOf).get(group) ?? [];
}

const dateOf = ({ date }: PlacedCard['wall']): string => date;

function combine(results: readonly UseQueryResult<CardsOfRange>[]) {
  return {
    /** Some of it was never read. */
    isPending: results.some(({ data, error }) => data === undefined && error === null),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    /** Something of it can be shown, although it may be old. */
    hasData: results.some(({ data }) => data !== undefined),
    isCut: results.some(({ data }) => data?.isCut === true),
    readAt: Math.min(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    readAgain: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}

/** The server names Posts that were written in a week, too: each is shown in the week of its time only. */
function placedIn(
  pages: readonly (CardsOfRange | undefined)[],
  weeks: readonly string[],
  clock: ZoneClock,
  place: ReturnType<typeof cardPlacer>,
): readonly PlacedCard[] {
  return pages.flatMap((page, index) => {
    const [from, to] = [clock.startOf(weeks[index]!), clock.startOf(addDays(weeks[index]!, 7))];
    return (page?.cards ?? []).map(place).filter(({ at }) => at >= from && at < to);
  });
}

/** The list that it was before, while it has the same in it. */
function useSame<Thing>(things: readonly Thing[]): readonly Thing[] {
  const before = useRef(things);
  const { current } = before;
  if (current.length !== things.length || current.some((thing, index) => thing !== things[index]))
    before.current = things;
  return before.current;
}

/** A day is read with its week, and is said to have its own Posts only. */
function onDays(placed: readonly PlacedCard[], { days, weeks }: ShownRange): readonly PlacedCard[] {
  return days.length === weeks.length * 7 ? placed : placed.filter(({ wall }) => days.includes(wall.date));
}

function useGroups(shown: readonly PlacedCard[], keyOf: (wall: PlacedCard['wall']) => string): CardGroups {
  const before = useRef<CardGroups>(new Map());
  return useMemo(() => {
    before.current = groupCards(shown, keyOf, before.current);
    return before.current;
  }, [shown, keyOf]);
}

function usePrefetch(workspaceId: string, clock: ZoneClock, neighbours: readonly string[], isReady: boolean): void {
  const key = neighbours.join();
  useEffect(() => {
    if (!isReady) return undefined;
    const handle = whenIdle(() => {
      forgetOldWeeks(workspaceId);
      for (const week of neighbours)
        void queryClient.prefetchQuery({ ...weekQuery(workspaceId, week, clock), staleTime: FRESH_MS });
    });
    return handle;
  }, [workspaceId, clock, key, isReady]);
}
