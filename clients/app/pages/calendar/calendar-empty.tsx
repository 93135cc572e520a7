import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { hasFilters } from './cards/card-filters.ts';
import type { ShownCalendar } from './use-shown-calendar.ts';

type CalendarEmptyProps = Pick<ShownCalendar, 'view' | 'filters' | 'canEdit' | 'posts' | 'go'>;

/** Over a calendar without Posts: why it is empty, and the next step. Nothing where it has some, or waits for them. */
export function CalendarEmpty({ view, filters, canEdit, posts, go }: CalendarEmptyProps) {
  const { error, hasData, isPending, shown, readAgain } = posts;
  if (error !== null)
    return hasData ? null : (
      <div className="calendar-empty">
        <ErrorPanel title="The Posts could not be read." error={error} onRetry={readAgain} />
      </div>
    );
  if (isPending || shown.length > 0) return null;
  const unit = view === 'list' ? 'week' : view;
  return (
    <div className="calendar-empty">
      {hasFilters(filters) ? (
        <EmptyState
          title={`No Posts of this ${unit} pass the filters`}
          action={<Button onPress={() => go.onFilters({})}>Clear filters</Button>}
        />
      ) : (
        <EmptyState title={`No Posts this ${unit}`} action={canEdit ? <WriteLink /> : null}>
          {canEdit ? 'What Members, keys and apps schedule appears here.' : 'What is scheduled appears here by itself.'}
        </EmptyState>
      )}
    </div>
  );
}

function WriteLink() {
  return (
    <LinkButton to="/compose" look="primary" icon="plus">
      Write a Post
    </LinkButton>
  );
}
