import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { alertsOf, type Alert } from './alert.ts';
import { either, grown, level, ownedSeries, seen, series } from './cases.ts';
import { unlessExplained } from './explained.ts';

const owned = 'sum by (namespace, consumer) (crier_partitions_owned';
const perWorkspace = WORKSPACE_COMMANDS.partitions;
const perJob = PUBLISH.x.partitions;

const canaryAt = (stage: string, values: string) =>
  series('crier_canary_last_success_timestamp_seconds', `stage="${stage}"`, values);
const canaryEvery = (seconds: number) => series('crier_canary_every_seconds', 'pod="a"', `${seconds}x200`);
/** A Post has four minutes beside the time that the canary lets pass before each, which may be an hour. */
const STALE_SECONDS = '(240 + max by (namespace) (crier_canary_every_seconds))';
/**
 * Roles that clients and people come to. They read no topic, so no partition tells that they are gone, and the canary
 * is silent with them.
 */
const DOORS = '{role=~"ingress|app"}';
const roleOf = (role: string, values: string, pod: string) =>
  series('crier_roles', `role="${role}", pod="${pod}"`, values);
/** A process that has no door, and one with both that ends. */
const DOORS_GONE = [
  ...[series('crier_build_info', 'pod="a"', '1x20'), roleOf('workspace', '1x20', 'a')],
  ...[series('crier_build_info', 'pod="b"', '1x4 stale'), roleOf('ingress', '1x4 stale', 'b')],
  roleOf('app', '1x4 stale', 'b'),
];
const OTHERS_OWN_ALL = [series('crier_build_info', 'pod="a"', '1x20'), ownedSeries('scheduler', `${perWorkspace}x20`)];

/** Somebody has to look now. Those that burn a budget are in burn-rates.ts. */
export const PAGES: readonly Alert[] = alertsOf('page', [
  {
    name: 'CrierKeyHeldBack',
    expr: 'max by (namespace) (crier_parked_keys{consumer="workspace"}) > 0',
    for: '1m',
    summary: 'A Workspace stands still: a record of it can not be handled',
    heading: 'A key is held back',
    ...level('crier_parked_keys', 'consumer="workspace"', '1x200', '0x200'),
  },
  {
    name: 'CrierCanaryStale',
    // Where everything is held the canary says so, which is no failure of the way.
    expr: unlessExplained(
      [
        `time() - max by (namespace, stage) (crier_canary_last_success_timestamp_seconds{stage!="held"}) > on (namespace) group_left () ${STALE_SECONDS}`,
        `unless on (namespace) (time() - max by (namespace) (crier_canary_last_success_timestamp_seconds{stage="held"}) < on (namespace) ${STALE_SECONDS})`,
      ].join(' '),
    ),
    for: '2m',
    summary: 'No Post of the canary has come to the stage {{ $labels.stage }} for {{ $value | humanizeDuration }}',
    heading: 'The canary is stale',
    ...either(
      '10m',
      [canaryEvery(60), canaryAt('due', '0x20')],
      [canaryEvery(60), canaryAt('due', '0x20'), canaryAt('told', '0+60x20'), canaryAt('held', '0+60x20')],
    ),
  },
  {
    name: 'CrierDoorRunsNowhere',
    // Remembered for a day, as in CrierRoleRunsNowhere. It waits longer than the pages that name a cause.
    expr: unlessExplained(
      `(group by (namespace, role) (last_over_time(crier_roles${DOORS}[1d])) unless on (namespace, role) crier_roles) and on (namespace) group by (namespace) (crier_build_info)`,
    ),
    for: '4m',
    summary: 'No process has the role {{ $labels.role }} any more: who comes to it gets no answer',
    heading: 'No process answers clients',
    ...either('15m', DOORS_GONE, [
      ...[...DOORS_GONE, roleOf('app', '_x6 1x14', 'c'), roleOf('ingress', '_x6 1x14', 'c')],
      // Off from the beginning, and none of the doors.
      roleOf('media', '1x4 stale', 'b'),
    ]),
  },
  {
    name: 'CrierTimersOverdue',
    expr: unlessExplained('max by (namespace) (crier_timers_oldest_overdue_seconds) > 120'),
    for: '2m',
    summary: 'Timers are due for {{ $value | humanizeDuration }} and do not fire',
    heading: 'Timers are overdue',
    ...level('crier_timers_oldest_overdue_seconds', 'pod="a"', '0+60x200', '100x200'),
  },
  {
    name: 'CrierPartitionsOwnedByNobody',
    // Where none at all has an owner, CrierRoleRunsNowhere tells.
    expr: unlessExplained(
      [
        `(${owned}{consumer=~"workspace|scheduler|webhooks|webhook-deliveries"}) < ${perWorkspace}`,
        `${owned}{consumer=~"media|publisher-.*"}) < ${perJob}) > 0`,
      ].join(' or '),
    ),
    for: '3m',
    summary: 'Of {{ $labels.consumer }}, {{ $value }} partitions have an owner: the others stand still',
    heading: 'Partitions are owned by nobody',
    ...either(
      '10m',
      [...OTHERS_OWN_ALL, ownedSeries('workspace', `${perWorkspace}x4 40x16`)],
      [
        ...OTHERS_OWN_ALL,
        ownedSeries('workspace', `${perWorkspace}x4 32x16`),
        ownedSeries('workspace', '_x4 32x16', 'b'),
      ],
    ),
  },
  {
    name: 'CrierTokensCanNotBeUnsealed',
    expr: 'sum by (namespace) (increase(crier_failures_total{event="connection-unseal-failed"}[10m])) > 0',
    for: '0m',
    summary: 'Tokens of Channels were sealed by a secret that a process does not have',
    heading: 'Tokens can not be unsealed',
    ...grown('crier_failures_total', 'event="connection-unseal-failed"', '15m'),
  },
  {
    name: 'CrierNothingIsPublished',
    // All of the half hour: an installation may be idle before its one upload of minutes.
    expr: unlessExplained(
      'max by (namespace) (crier_publishing_held{scope="all"}) > 0 or (sum by (namespace) (min_over_time(crier_publish_in_flight[30m])) > 0 and on (namespace) sum by (namespace) (increase(crier_attempts_ended_total[30m])) == 0)',
      { lookingBack: '30m' },
    ),
    for: '10m',
    summary: 'Everything is held, or attempts are under way for half an hour and none ends',
    heading: 'Nothing is published',
    fires: seen('30m', series('crier_publishing_held', 'scope="all"', '0x5 1x40')),
    silent: seen(
      '60m',
      series('crier_publishing_held', 'scope="all"', '0x80'),
      series('crier_publishing_held', 'scope="workspace"', '2x80'),
      series('crier_publish_in_flight', 'network="x"', '3x80'),
      series('crier_attempts_ended_total', 'network="x", outcome="published"', '0+1x80'),
    ),
  },
]);
