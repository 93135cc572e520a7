import { useContext } from 'react';
import { WorkspaceContext } from '../workspace/workspace.ts';
import { useNow } from '../workspace/clock.ts';
import { absoluteWords, relativeWords } from './time-words.ts';
import { ownTimeZone } from '../preferences/time-zone.ts';

export interface TimeProps {
  /** ISO 8601 with a zone. */
  readonly at: string;
  /** Default: relative within a day, else absolute. */
  readonly form?: 'relative' | 'absolute';
}

/** A time in the Workspace's zone: "in 20 min", with the date and zone on hover and for readers. */
export function Time({ at, form = 'relative' }: TimeProps) {
  const timeZone = useContext(WorkspaceContext)?.timeZone ?? ownTimeZone();
  const now = useNow();
  const absolute = absoluteWords(Date.parse(at), timeZone);
  const relative = form === 'relative' ? relativeWords(Date.parse(at), now) : null;
  if (relative === null) return <time dateTime={at}>{absolute}</time>;
  return (
    <time dateTime={at} title={absolute}>
      {relative}
      <span className="visually-hidden">, {absolute}</span>
    </time>
  );
}
