import type { Metrics } from '#adapters/prometheus/metrics.ts';
import type { CommandRequests } from '#commands/request-command.ts';
import type { PublishingHold } from '#domain/publishing-holds.ts';
import type { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
import type { Workload } from '#consumer/workload.ts';
import type { Clock } from '#ports/clock.ts';
import type { Scheduler } from '#services/scheduler/service.ts';
import { RELEASE } from '#tables/release.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { DataBytes, freeBytes } from '../engines/data-bytes.ts';
import type { Leaps } from '../engines/engine.ts';
import type { ClockLead } from './clock-lead.ts';
import type { Conversions } from '#concurrency/conversions.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { MeasuredStore } from '../engines/measured-store.ts';
import { workloadsOf, type ProcessRoles } from './process-roles.ts';

export interface GaugeSources {
  readonly requests: CommandRequests;
  readonly roles: ProcessRoles;
  readonly brake: PublishingBrake;
  readonly store: Pick<MeasuredStore, 'inFlight'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The format that the installation writes; 0: not read yet. */
  readonly storedFormat: () => number;
  /** Requests at the public address that are being answered. */
  readonly httpRequests: () => number;
  /** The folder of an embedded installation; null: the data is elsewhere. */
  readonly dataFolder: string | null;
  /** The folder of files under way, on either engine. */
  readonly scratchFolder: string;
  readonly pools: Pick<Pools, 'load'>;
  /** Null where the role that converts is off. */
  readonly conversions: Pick<Conversions, 'load'> | null;
}

/** Of a scrape: what it shows is as old as the one before. */
const HOLDS_MAX_AGE_MS = 5_000;

/** Registers what is read from the roles of this process whenever its metrics are scraped. */
export function watchGauges(metrics: Metrics, sources: GaugeSources): void {
  const { requests, roles, brake, store, clock, httpRequests, dataFolder } = sources;
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
  metrics.watch(
    'logBehindRecords',
    ofEach(roles.consumers, (workload) => workload.behind().records),
  );
  metrics.watch(
    'logBehindSeconds',
    ofEach(roles.consumers, (workload) => secondsSince(workload.behind().oldestAt, clock)),
  );
  if (scheduler !== null) watchTimers(metrics, scheduler, clock);
  metrics.watch('publishInFlight', () =>
    roles.publishers
      .map((each) => each.load())
      .map(({ network, running }) => ({ labels: { network }, value: running })),
  );
  metrics.watch('networkCircuitOpen', () =>
    roles.publishers
      .map((each) => each.load())
      .map(({ network, isOutOfOrder }) => ({ labels: { network }, value: isOutOfOrder ? 1 : 0 })),
  );
  metrics.watch('storeRequestsInFlight', () => store.inFlight());
  metrics.watch('httpRequestsInFlight', httpRequests);
  metrics.watch('poolPermits', () => permitsByState(sources.pools));
  metrics.watch('schemaVersion', () => SCHEMA_VERSION);
  metrics.watch('dataFormat', () => [
    { labels: { kind: 'known' }, value: RELEASE.format },
    { labels: { kind: 'written' }, value: sources.storedFormat() },
  ]);
  metrics.watch('dataFreeBytes', () => freeBytes(sources.scratchFolder));
  const { conversions } = sources;
  if (conversions !== null) metrics.watch('conversions', () => conversionsByState(conversions));
  if (dataFolder !== null) {
    const bytes = new DataBytes(dataFolder, clock);
    metrics.watch('dataBytes', () => bytes.read());
  }
  metrics.watch('answersAwaited', () => requests.pending());
  metrics.watch('publishingHeld', () => {
    // For the next scrape; an engine that is away is told of elsewhere.
    brake.known(HOLDS_MAX_AGE_MS).catch(() => {});
    return countsByScope(brake.lastKnown.holds);
  });
  metrics.watch('variantsHeld', () => roles.workspace?.heldVariants() ?? 0);
  metrics.watch('channelsNeedingReconnect', () =>
    [...(roles.workspace?.channelsNeedingReconnect() ?? [])].map(([network, value]) => ({
      labels: { network },
      value,
    })),
  );
  if (webhooks === null) return;
  metrics.watch('webhookAttemptsInFlight', () => webhooks.load().running);
  metrics.watch('webhookDeliveriesQueued', () => webhooks.load().waiting);
  metrics.watch('webhookEndpointsFailing', () => webhooks.load().failingEndpoints);
  metrics.watch('webhookOldestPending', () => webhooks.load().oldestPendingMs / 1000);
}

function conversionsByState(conversions: Pick<Conversions, 'load'>) {
  return Object.entries(conversions.load()).flatMap(([kind, { running, waiting }]) => [
    { labels: { kind, state: 'running' }, value: running },
    { labels: { kind, state: 'waiting' }, value: waiting },
  ]);
}

function permitsByState(pools: Pick<Pools, 'load'>) {
  return pools.load().flatMap(({ pool, permits, held, waiting }) => [
    { labels: { pool, state: 'held' }, value: held },
    { labels: { pool, state: 'free' }, value: permits - held },
    { labels: { pool, state: 'wanted' }, value: waiting },
  ]);
}

function countsByScope(holds: readonly PublishingHold[]) {
  const count = (scope: string, is: (hold: PublishingHold) => boolean) => ({
    labels: { scope },
    value: holds.filter(is).length,
  });
  return [
    count('all', ({ network, workspaceId }) => network === null && workspaceId === null),
    count('network', ({ network, workspaceId }) => network !== null && workspaceId === null),
    count('workspace', ({ workspaceId }) => workspaceId !== null),
  ];
}

/** For so long the timers are not counted again: three gauges of one scrape tell of them, and thousands may be due. */
const COUNTED_FOR_MS = 500;

function watchTimers(metrics: Metrics, scheduler: Scheduler, clock: Pick<Clock, 'now' | 'monotonic'>): void {
  let counted: { readonly due: ReturnType<Scheduler['due']>; readonly at: number } | null = null;
  const due = (): ReturnType<Scheduler['due']> => {
    const at = clock.monotonic();
    if (counted === null || at - counted.at >= COUNTED_FOR_MS) counted = { due: scheduler.due(), at };
    return counted.due;
  };
  metrics.watch('timersQueued', () => scheduler.held());
  metrics.watch('timersOverdue', () => due().overdue);
  metrics.watch('timersOldestOverdue', () => secondsSince(due().oldestAt, clock));
  metrics.watch('timersDueNext', () => [{ labels: { window: '30s' }, value: due().soon }]);
}

function secondsSince(instant: number | null, clock: Pick<Clock, 'now'>): number {
  return instant === null ? 0 : Math.max(0, clock.now() - instant) / 1000;
}

/** What this process knows of the machine's clock. */
export function watchClock(
  metrics: Metrics,
  { clock, leaps, lead }: { readonly clock: Pick<Clock, 'unmoved'>; readonly leaps: Leaps; readonly lead: ClockLead },
): void {
  metrics.watch('clockTimestamp', () => clock.unmoved() / 1_000);
  metrics.watch('clockAhead', () =>
    lead.aheadMs === null ? [] : [{ labels: { reference: lead.reference }, value: lead.aheadMs / 1_000 }],
  );
  metrics.watch('clockLeap', () => leaps.leapMs() / 1_000);
}
