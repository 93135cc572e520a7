import type { Metrics } from '#adapters/prometheus/metrics.ts';
import type { CommandRequests } from '#commands/request-command.ts';
import type { Workload } from '#consumer/workload.ts';
import { workloadsOf, type ProcessRoles } from './process-roles.ts';

export interface GaugeSources {
  readonly requests: CommandRequests;
  readonly roles: ProcessRoles;
}

/** Registers what is read from the roles of this process whenever its metrics are scraped. */
export function watchGauges(metrics: Metrics, { requests, roles }: GaugeSources): void {
  const { scheduler, webhooks } = roles;
  const ofEach = (workloads: readonly Workload[], value: (workload: Workload) => number) => () =>
    workloads.map((workload) => ({ labels: { consumer: workload.name }, value: value(workload) }));
  metrics.watch(
    'recordsWaiting',
    ofEach(roles.consumers, (workload) => workload.waiting()),
  );
  metrics.watch(
    'parkedKeys',
    ofEach(roles.consumers, (workload) => workload.heldBack()),
  );
  metrics.watch(
    'partitionsOwned',
    ofEach(workloadsOf(roles), (workload) => workload.owned().length),
  );
  metrics.watch('timersQueued', () => scheduler?.held() ?? 0);
  metrics.watch('answersAwaited', () => requests.pending());
  if (webhooks === null) return;
  metrics.watch('webhookAttemptsInFlight', () => webhooks.load().running);
  metrics.watch('webhookDeliveriesQueued', () => webhooks.load().waiting);
  metrics.watch('webhookEndpointsFailing', () => webhooks.load().failingEndpoints);
  metrics.watch('webhookOldestPending', () => webhooks.load().oldestPendingMs / 1000);
}
