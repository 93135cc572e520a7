import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import { Skeleton } from './skeleton.tsx';

export interface AnswerProps<Value> {
  readonly query: UseQueryResult<Value>;
  /** What is read, as it stands in sentences: "API keys". */
  readonly what: string;
  readonly children: (value: Value) => ReactNode;
}

/** What a query came to: its value, or that it is on its way, or why there is none. */
export function Answer<Value>({ query, what, children }: AnswerProps<Value>) {
  const { data, error, refetch } = query;
  // What was read before is shown also while it can not be read anew.
  if (data !== undefined) return children(data);
  if (error !== null)
    return <ErrorPanel title={`Crier could not read the ${what}.`} error={error} onRetry={() => void refetch()} />;
  return <Skeleton label={`Loading ${what}`} />;
}
