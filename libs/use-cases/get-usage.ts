import { renderUsage, type UsageBody } from '#domain/plan/usage.ts';
import type { Clock } from '#ports/clock.ts';
import type { ApiCall } from './caller.ts';
import type { WorkspaceReader } from './dependencies.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';

export interface GetUsageOptions {
  readonly workspaces: WorkspaceReader;
  readonly clock: Pick<Clock, 'now'>;
}

/** The Plan's limits and what is used of them in this month (UTC). */
export function getUsage(call: ApiCall, { workspaces, clock }: GetUsageOptions): Promise<UseCaseResult<UsageBody>> {
  return settled('read', async () => {
    const state = await workspaces.state(call.workspaceId);
    return state === null ? failed('not_found', 'There is no such Workspace.') : done(renderUsage(state, clock.now()));
  });
}
