import type { CalendarView } from '../../address/calendar-search.ts';
import { useCommand } from '../../commands/commands.ts';
import { VIEWS } from './calendar-toolbar.tsx';

export interface CalendarCommandsOptions {
  readonly onToday: () => void;
  readonly onStep: (direction: 1 | -1) => void;
  readonly onView: (view: CalendarView) => void;
}

/** t: today. m, w, d, l: the views. In the grid there are more keys, which need a place in it. */
export function useCalendarCommands({ onToday, onStep, onView }: CalendarCommandsOptions): void {
  useCommand(
    { id: 'calendar today', name: 'Show today', group: 'Show', keys: 't', run: onToday },
    { id: 'calendar next', name: 'Show what comes next', group: 'Show', run: () => onStep(1) },
    { id: 'calendar previous', name: 'Show what was before', group: 'Show', run: () => onStep(-1) },
    ...VIEWS.map(({ view, name, key }) => ({
      id: `calendar ${view}`,
      name: `Show the ${name.toLowerCase()}`,
      group: 'Show' as const,
      keys: key,
      run: () => onView(view),
    })),
  );
}
