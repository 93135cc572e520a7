import { onlineManager } from '@tanstack/react-query';
import { useNavigate, type RegisteredRouter } from '@tanstack/react-router';
import { useMemo, useSyncExternalStore } from 'react';
import type { CalendarSearch } from '../../address/calendar-search.ts';
import type { CardFilters } from './cards/card-filters.ts';
import { neighbourOf } from './time/shown-range.ts';

/** The same object for as long as the address says the same, so that nothing is filtered anew for nothing. */
export function useFilters({ channel, network, status, via }: CalendarSearch): CardFilters {
  const key = JSON.stringify([channel, network, status, via]);
  return useMemo(
    () => ({
      ...(channel === undefined ? {} : { channel }),
      ...(network === undefined ? {} : { network }),
      ...(status === undefined ? {} : { status }),
      ...(via === undefined ? {} : { via }),
    }),
    [key],
  );
}

/** The ways from what an address shows to others. */
export function useCalendarNavigation(
  search: CalendarSearch,
  { view, date }: Required<Pick<CalendarSearch, 'view' | 'date'>>,
) {
  const navigate = useNavigate({ from: '/calendar' });
  // The same while the address is: a Post that changes draws no controls anew.
  return useMemo(() => waysFrom(search, { view, date }, navigate), [search, view, date, navigate]);
}

function waysFrom(
  search: CalendarSearch,
  { view, date }: Required<Pick<CalendarSearch, 'view' | 'date'>>,
  navigate: ReturnType<typeof useNavigate<RegisteredRouter, '/calendar'>>,
) {
  const { channel: _channel, network: _network, status: _status, via: _via, ...unfiltered } = search;
  const { post: _post, ...closed } = search;
  const { more: _more, ...folded } = search;
  const to = (next: CalendarSearch): void => void navigate({ to: '/calendar', search: next });
  return {
    onStep: (direction: 1 | -1) => to({ ...search, view, date: neighbourOf(view, date, direction) }),
    onToday: () => {
      const { date: _date, ...undated } = search;
      to(undated);
    },
    onView: (next: NonNullable<CalendarSearch['view']>) => to({ ...search, view: next, date }),
    onFilters: (filters: CardFilters) => to({ ...unfiltered, ...filters }),
    onZone: (zone: string) => to({ ...search, zone }),
    onMore: (more: string | undefined) => to(more === undefined ? folded : { ...search, more }),
    /** Beside the calendar, with the address of the Post's own page: that is what a colleague gets. */
    onOpen: (postId: string | undefined) => {
      if (postId === undefined) return to(closed);
      const mask = { to: '/posts/$postId', params: { postId } } as const;
      void navigate({ to: '/calendar', search: { ...search, view, date, post: postId }, mask });
    },
    onOpenPage: (postId: string) => void navigate({ to: '/posts/$postId', params: { postId } }),
    onCompose: (at: number) => void navigate({ to: '/compose', search: { at: new Date(at).toISOString() } }),
  };
}

export function useIsOnline(): boolean {
  return useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
}
