import type { Role } from '#config/settings.ts';
import type { Workload } from '#consumer/workload.ts';
import type { Service } from '#runtime/service.ts';
import type { Scheduler } from '#services/scheduler/service.ts';
import type { WebhooksServices } from '#services/webhooks/service.ts';
import type { RoleFactory } from './roles.ts';

/** The roles of one process that read the log. */
export interface ProcessRoles {
  /** Null where the role is off. */
  readonly scheduler: Scheduler | null;
  readonly webhooks: WebhooksServices | null;
  /** The services of workspace, publisher, media and webhooks, as far as these roles are on. */
  readonly consumers: readonly (Service & Workload)[];
}

export function createProcessRoles(names: readonly Role[], factory: RoleFactory): ProcessRoles {
  const webhooks = names.includes('webhooks') ? factory.webhooks() : null;
  return {
    scheduler: names.includes('scheduler') ? factory.scheduler() : null,
    webhooks,
    consumers: [
      ...(names.includes('workspace') ? [factory.workspace()] : []),
      ...(names.includes('publisher') ? factory.publishers() : []),
      ...(names.includes('media') ? factory.media() : []),
      ...(webhooks?.services ?? []),
    ],
  };
}

/** What the readers of the log hold. The scheduler's timers of timers.v1 are records that wait for their instants. */
export function workloadsOf({ consumers, scheduler }: ProcessRoles): readonly Workload[] {
  if (scheduler === null) return consumers;
  const { name } = scheduler;
  return [...consumers, { name, owned: () => scheduler.owned(), waiting: () => scheduler.held(), heldBack: () => 0 }];
}
