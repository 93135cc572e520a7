import { sweepStep } from '#domain/workspace/disconnect.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { MessageEffect } from '#tables/rows/pending-effects.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';

/**
 * Commands to itself with which a Workspace goes on that has begun something. They were sent once, but a log may lose
 * its end, and nothing else would ever send them again: a sweep would go on for ever, a Downgrade would never come.
 * Sent twice they do no harm, since only the step counts that the state expects.
 */
export function ownStepsOf({ id, sweeps, comingPlan }: WorkspaceState, now: number): readonly MessageEffect[] {
  const isPlanDue = comingPlan !== null && comingPlan.effectiveAt <= now;
  const commands = [
    ...sweeps.map((sweep) => sweepStep(id, sweep)),
    ...(isPlanDue ? [{ type: 'PlanDue', workspaceId: id } as const] : []),
  ];
  return commands.map((message) => ({ topic: WORKSPACE_COMMANDS.name, key: id, message }));
}
