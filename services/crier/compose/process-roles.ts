import type { Role } from '#config/settings.ts';
import type { Workload } from '#consumer/workload.ts';
import type { Service } from '#runtime/service.ts';
import type { PublisherService } from '#services/publisher/publish/service.ts';
import type { Scheduler } from '#services/scheduler/service.ts';
import type { WebhooksServices } from '#services/webhooks/service.ts';
import type { WorkspaceService } from '#services/workspace/service.ts';
import type { RoleFactory } from './roles.ts';

/** The roles of one process that read the log. */
export interface ProcessRoles {
  /** Null where the role is off. */
  readonly scheduler: Scheduler | null;
  readonly webhooks: WebhooksServices | null;
  readonly workspace: WorkspaceService | null;
  /** One for each Network; they are among `consumers`. */
  readonly publishers: readonly PublisherService[];
  /** The services of workspace, publisher, media, webhooks and admin, as far as these roles are on. */
  readonly consumers: readonly (Service & Workload)[];
}

export function createProcessRoles(names: readonly Role[], factory: RoleFactory): ProcessRoles {
  const publishers = names.includes('publisher') ? factory.publishers() : null;
  const webhooks = names.includes('webhooks') ? factory.webhooks() : null;
  const workspace = names.includes('workspace') ? factory.workspace() : null;
  return {
    workspace,
    scheduler: names.includes('scheduler') ? factory.scheduler() : null,
    webhooks,
    publishers: publishers?.ofNetworks ?? [],
    consumers: [
      ...(workspace === null ? [] : [workspace]),
      ...(publishers === null ? [] : [...publishers.ofNetworks, ...publishers.others]),
      ...(names.includes('media') ? factory.media() : []),
      ...(webhooks?.services ?? []),
      ...(names.includes('admin') ? [factory.deadLetterKeeper()] : []),
    ],
  };
}

/** What the readers of the log hold. The scheduler's timers of timers.v1 are records that wait for their instants. */
export function workloadsOf({ consumers, scheduler }: ProcessRoles): readonly Workload[] {
  if (scheduler === null) return consumers;
  const { name } = scheduler;
  const timers: Workload = {
    name,
    owned: () => scheduler.owned(),
    waiting: () => scheduler.held(),
    heldBack: () => 0,
    behind: () => ({ records: scheduler.held(), oldestAt: null }),
  };
  return [...consumers, timers];
}
