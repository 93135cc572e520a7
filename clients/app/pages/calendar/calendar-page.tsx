import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { calendarSearchOf } from '../../address/calendar-search.ts';
import { NeedsMe } from '../../frame/needs-me.tsx';
import { PageHeading } from '../../frame/page-heading.tsx';
import { CalendarEmpty } from './calendar-empty.tsx';
import { CalendarLine } from './calendar-line.tsx';
import { CalendarToolbar } from './calendar-toolbar.tsx';
import { CalendarView } from './calendar-view.tsx';
import { hasFilters } from './cards/card-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { MoreList } from './more-list.tsx';
import { PostPanel } from './post-panel.tsx';
import { cardsOfGroup } from './use-calendar-posts.ts';
import { useCalendarCommands } from './use-calendar-commands.ts';
import { useIsOnline } from './use-calendar-navigation.ts';
import { usePostActions } from './use-post-actions.tsx';
import { useShownCalendar } from './use-shown-calendar.ts';
import './calendar.css';

const ZoneDialog = lazy(async () => ({ default: (await import('./zone-dialog.tsx')).ZoneDialog }));

const route = getRouteApi('/calendar');

/** All Posts of the Workspace by their time. The address holds the view, the date and the filters. */
export function CalendarPage() {
  const asked = route.useSearch();
  // The router lays what was left out of an address below what was read of it.
  const search = useMemo(() => calendarSearchOf({ ...asked }), [asked]);
  const shown = useShownCalendar(search);
  const { workspaceId, clock, view, date, firstWeekday, canEdit, filters, posts, go } = shown;
  const { overlays, ...actions } = usePostActions(shown);
  const [isZoneOpen, setZoneOpen] = useState(false);
  const openZone = useCallback(() => setZoneOpen(true), []);
  const isOnline = useIsOnline();
  useCalendarCommands(go);
  const more = useMemo(
    () => (search.more === undefined ? [] : cardsOfGroup(posts.shown, search.more)),
    [posts.shown, search.more],
  );
  return (
    <div className={`calendar calendar-${view}`}>
      <PageHeading isHidden>Calendar</PageHeading>
      <CalendarToolbar
        {...{ search, view, date, firstWeekday, canEdit }}
        onStep={go.onStep}
        onToday={go.onToday}
        onSettings={openZone}
      />
      <FilterBar workspaceId={workspaceId} filters={filters} onChange={go.onFilters} all={posts.all} />
      <CalendarLine
        {...posts}
        shown={posts.shown.length}
        all={hasFilters(filters) ? posts.all.length : posts.shown.length}
        timeZone={clock.timeZone}
        isOnline={isOnline}
        onRetry={posts.readAgain}
        needs={<NeedsMe isReady={!posts.isPending} />}
      />
      <div className="calendar-content">
        <CalendarView
          {...shown}
          {...actions}
          groups={posts.groups}
          isBusy={posts.isPending}
          onMore={(cell) => go.onMore(cell.key)}
          onStep={go.onStep}
        />
        <CalendarEmpty {...shown} />
      </div>
      {search.more === undefined || search.post !== undefined ? null : (
        <MoreList
          key={search.more}
          group={search.more}
          cards={more}
          isPending={posts.isPending}
          workspaceId={workspaceId}
          onClose={() => go.onMore(undefined)}
          {...actions}
        />
      )}
      {search.post === undefined ? null : (
        <PostPanel key={search.post} postId={search.post} onClose={() => go.onOpen(undefined)} />
      )}
      {overlays}
      {isZoneOpen ? (
        <Suspense>
          <ZoneDialog timeZone={clock.timeZone} onClose={() => setZoneOpen(false)} onZone={go.onZone} />
        </Suspense>
      ) : null}
    </div>
  );
}
