import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { keepOperatorCall } from '#tables/repositories/operator-calls.ts';
import type { AdminContext } from './procedure.ts';

export interface OperatorCallsOptions {
  readonly store: Pick<TableStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
  readonly reporter: Reporter;
}

/**
 * What becomes of calls of operators: each is one event, and those that change something are kept for `audit.list`.
 * What a call did has been done when it is kept, so a row that can not be written is reported, and does not turn the
 * answer into a failure.
 */
export function createOperatorCalls({
  store,
  clock,
  ids,
  reporter,
}: OperatorCallsOptions): Required<Pick<AdminContext, 'keep' | 'heard'>> {
  return {
    keep: async (call) => {
      const { actor, procedure, outcome } = call;
      try {
        await keepOperatorCall(store, { ...call, id: ids.token(12), at: clock.now() });
      } catch (error) {
        reporter.failure('operator-call-not-kept', error, { actor, procedure, outcome });
      }
    },
    heard: ({ changesSomething, workspaceId, ...call }) => {
      if (!changesSomething) return reporter.report('operator-looked', call);
      reporter.report('operator-called', { ...call, ...(workspaceId !== null && { workspaceId }) });
    },
  };
}
