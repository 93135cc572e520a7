import type { ReactNode } from 'react';
import { isUndecided, problemOf } from '../server/problem.ts';
import { Button } from './button.tsx';
import { CopyableId } from './copyable-id.tsx';
import './error-panel.css';
import { Icon } from './icon.tsx';

export interface ErrorPanelProps {
  /** What did not work: "The Channels could not be read." */
  readonly title: string;
  /** What a call rejected with. */
  readonly error: unknown;
  /** What is safe all the same: "What you wrote is kept in this browser." */
  readonly kept?: ReactNode;
  readonly onRetry?: () => void;
  /** The call would have changed something: without an answer nobody knows whether it did, and `title` says nothing. */
  readonly isOfChange?: boolean;
}

/** What happened, what was kept, what to do. Readers hear it at once. */
export function ErrorPanel({ title, error, kept, onRetry, isOfChange = false }: ErrorPanelProps) {
  const { message, requestId } = problemOf(error);
  const isOpen = isOfChange && isUndecided(error);
  return (
    <div className="error-panel" role="alert">
      <Icon name="alert" />
      <div className="error-panel-words">
        <strong dir="auto">{isOpen ? 'Nobody knows yet whether it was done.' : title}</strong>
        <p>{message}</p>
        {isOpen ? <p>Look whether it was done before you do it again.</p> : null}
        {kept === undefined ? null : <p>{kept}</p>}
        {requestId === undefined ? null : (
          <p className="field-note">
            For the operator: request <CopyableId id={requestId} />
          </p>
        )}
        {onRetry === undefined ? null : (
          <Button icon="refresh" onPress={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
