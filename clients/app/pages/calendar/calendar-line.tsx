import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { problemOf } from '../../server/problem.ts';
import { countWords } from './grid/grid-cell-view.tsx';

export interface CalendarLineProps {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly isCut: boolean;
  /** When what is shown was read; Unix ms. */
  readonly readAt: number;
  readonly shown: number;
  readonly all: number;
  readonly timeZone: string;
  readonly isOnline: boolean;
  readonly onRetry: () => void;
  /** What needs a person; stands first. */
  readonly needs: ReactNode;
}

/** One line between filters and grid that is always there, so that what it says moves nothing. */
export function CalendarLine(props: CalendarLineProps) {
  return (
    <div className="calendar-line">
      {props.needs}
      <p className="calendar-line-words" role="status">
        <StateWords {...props} />
      </p>
    </div>
  );
}

function StateWords({ isPending, error, isCut, readAt, shown, all, timeZone, isOnline, onRetry }: CalendarLineProps) {
  if (!isOnline)
    return readAt === 0 ? (
      <>You are offline, and this time was not read before. It is read as soon as you are online.</>
    ) : (
      <>
        You are offline. This is what was there <Time at={new Date(readAt).toISOString()} />.
      </>
    );
  if (error !== null)
    return (
      <>
        <Icon name="alert" /> {problemOf(error).message}
        <Button look="quiet" icon="refresh" onPress={onRetry}>
          Try again
        </Button>
      </>
    );
  if (isPending) return <>Loading Posts...</>;
  if (isCut) return <>There are more Posts than one view can hold. Choose a shorter time, or filter.</>;
  const count = shown === all ? countWords(all) : `${shown} of ${countWords(all)}`;
  return (
    <>
      {count.replace('no Posts', 'No Posts')} · times in {timeZone.replaceAll('_', ' ')}
    </>
  );
}
