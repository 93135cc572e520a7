import { showToast } from '../../parts/toast.tsx';
import { problemOf } from '../../server/problem.ts';
import { queryClient, serverKey, useServerMutation, type MutationProcedure } from '../../server/queries.ts';
import type { AppServer } from '../../server/router-type.ts';

export interface ChangeOptions<Input, Output> {
  /** What is read again after the change, and after a failed one, whose effect is not known. */
  readonly refresh: readonly ((from: AppServer) => unknown)[];
  /** Said in a corner when it is done; null: nothing. */
  readonly said?: (output: Output, input: Input) => string | null;
  readonly onDone?: (output: Output, input: Input) => void;
  /** Default: its words are said in a corner. */
  readonly onFailed?: (error: unknown) => void;
}

/** A change that says what came of it and has its page read anew. */
export function useChange<Input, Output>(
  procedure: (to: AppServer) => MutationProcedure<Input, Output>,
  { refresh, said, onDone, onFailed }: ChangeOptions<Input, Output>,
) {
  return useServerMutation<Input, Output>(procedure, {
    onSuccess: (output, input) => {
      const message = said?.(output, input) ?? null;
      if (message !== null) showToast({ message });
      onDone?.(output, input);
    },
    onError: (error) => {
      if (onFailed !== undefined) return onFailed(error);
      showToast({ message: problemOf(error).message, tone: 'failed' });
    },
    onSettled: () => Promise.all(refresh.map((read) => queryClient.invalidateQueries({ queryKey: serverKey(read) }))),
  });
}
