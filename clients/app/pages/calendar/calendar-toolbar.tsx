import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { CalendarSearch, CalendarView } from '../../address/calendar-search.ts';
import { Button } from '../../parts/button.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Tooltip } from '../../parts/tooltip.tsx';
import { longDayWords, monthWords, weekWords } from './time/time-texts.ts';
import { weekOf } from './time/dates.ts';

export interface CalendarToolbarProps {
  readonly search: CalendarSearch;
  readonly view: CalendarView;
  readonly date: string;
  readonly firstWeekday: number;
  readonly canEdit: boolean;
  readonly onStep: (direction: 1 | -1) => void;
  readonly onToday: () => void;
  readonly onSettings: () => void;
}

export const VIEWS: readonly { readonly view: CalendarView; readonly name: string; readonly key: string }[] = [
  { view: 'month', name: 'Month', key: 'm' },
  { view: 'week', name: 'Week', key: 'w' },
  { view: 'day', name: 'Day', key: 'd' },
  { view: 'list', name: 'List', key: 'l' },
];

/** What is shown, and the ways to elsewhere. */
export const CalendarToolbar = memo(function CalendarToolbar({
  search,
  view,
  date,
  firstWeekday,
  canEdit,
  onStep,
  onToday,
  onSettings,
}: CalendarToolbarProps) {
  const unit = view === 'month' ? 'month' : view === 'day' ? 'day' : 'week';
  return (
    <div className="calendar-toolbar">
      <Button look="quiet" icon="left" aria-label={`Previous ${unit}`} onPress={() => onStep(-1)} />
      <Tooltip text="Today (t)">
        <Button onPress={onToday}>Today</Button>
      </Tooltip>
      <Button look="quiet" icon="right" aria-label={`Next ${unit}`} onPress={() => onStep(1)} />
      <h2 className="calendar-range" aria-live="polite">
        {rangeWords(view, date, firstWeekday)}
      </h2>
      <nav className="calendar-views" aria-label="Views of the calendar">
        {VIEWS.map(({ view: its, name, key }) => (
          <Link
            key={its}
            to="/calendar"
            search={{ ...search, view: its, date }}
            className="calendar-view"
            aria-current={its === view ? 'page' : undefined}
            title={`${name} (${key})`}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Button look="quiet" icon="settings" aria-label="Time zone and weeks" onPress={onSettings} />
      {canEdit ? (
        <LinkButton to="/compose" look="primary" icon="plus">
          Write a Post
        </LinkButton>
      ) : null}
    </div>
  );
});

function rangeWords(view: CalendarView, date: string, firstWeekday: number): string {
  if (view === 'month') return monthWords(date);
  return view === 'day' ? longDayWords(date) : weekWords(weekOf(date, firstWeekday));
}
