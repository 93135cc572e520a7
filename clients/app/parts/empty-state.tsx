import type { ReactNode } from 'react';
import './empty-state.css';

export interface EmptyStateProps {
  /** What is not here: "No webhooks yet". */
  readonly title: string;
  /** What it would be good for. */
  readonly children?: ReactNode;
  /** The one next step. */
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {action}
    </div>
  );
}
