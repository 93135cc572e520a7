import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { seen, series, type Alert } from './alert.ts';
import { unlessExplained } from './explained.ts';

const owned = 'sum by (namespace, consumer) (crier_partitions_owned';
const perWorkspace = WORKSPACE_COMMANDS.partitions;
const perJob = PUBLISH.x.partitions;

/** Somebody has to look now. Those that burn a budget are in burn-rates.ts. */
export const PAGES: readonly Alert[] = [
  {
    name: 'CrierKeyHeldBack',
    severity: 'page',
    expr: 'max by (namespace) (crier_parked_keys{consumer="workspace"}) > 0',
    for: '1m',
    summary: 'A Workspace stands still: a record of it can not be handled',
    heading: 'A key is held back',
    fires: seen('5m', series('crier_parked_keys', 'consumer="workspace"', '0 1x10')),
    silent: seen('5m', series('crier_parked_keys', 'consumer="workspace"', '0x10')),
  },
  {
    name: 'CrierCanaryStale',
    severity: 'page',
    // Where everything is held the canary says so, which is no failure of the way.
    expr: unlessExplained(
      [
        'time() - max by (namespace, stage) (crier_canary_last_success_timestamp_seconds{stage!="held"}) > 300',
        'unless on (namespace) (time() - max by (namespace) (crier_canary_last_success_timestamp_seconds{stage="held"}) < 300)',
      ].join(' '),
    ),
    for: '2m',
    summary: 'No Post of the canary has come to the stage {{ $labels.stage }} for {{ $value | humanizeDuration }}',
    heading: 'The canary is stale',
    fires: seen('10m', series('crier_canary_last_success_timestamp_seconds', 'stage="due"', '0x20')),
    silent: seen(
      '10m',
      series('crier_canary_last_success_timestamp_seconds', 'stage="due"', '0x20'),
      series('crier_canary_last_success_timestamp_seconds', 'stage="told"', '0+60x20'),
      series('crier_canary_last_success_timestamp_seconds', 'stage="held"', '0+60x20'),
    ),
  },
  {
    name: 'CrierTimersOverdue',
    severity: 'page',
    expr: unlessExplained('max by (namespace) (crier_timers_oldest_overdue_seconds) > 120'),
    for: '2m',
    summary: 'Timers are due for {{ $value | humanizeDuration }} and do not fire',
    heading: 'Timers are overdue',
    fires: seen('10m', series('crier_timers_oldest_overdue_seconds', 'pod="a"', '0+60x20')),
    silent: seen('10m', series('crier_timers_oldest_overdue_seconds', 'pod="a"', '100x20')),
  },
  {
    name: 'CrierPartitionsOwnedByNobody',
    severity: 'page',
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
    fires: seen(
      '10m',
      series('crier_build_info', 'pod="a"', '1x20'),
      series('crier_partitions_owned', 'consumer="workspace", pod="a"', `${perWorkspace}x4 40x16`),
      series('crier_partitions_owned', 'consumer="scheduler", pod="a"', `${perWorkspace}x20`),
    ),
    silent: seen(
      '10m',
      series('crier_build_info', 'pod="a"', '1x20'),
      series('crier_partitions_owned', 'consumer="workspace", pod="a"', `${perWorkspace}x4 32x16`),
      series('crier_partitions_owned', 'consumer="workspace", pod="b"', '_x4 32x16'),
      series('crier_partitions_owned', 'consumer="scheduler", pod="a"', `${perWorkspace}x20`),
    ),
  },
  {
    name: 'CrierTokensCanNotBeUnsealed',
    severity: 'page',
    expr: 'sum by (namespace) (increase(crier_failures_total{event="connection-unseal-failed"}[10m])) > 0',
    for: '0m',
    summary: 'Tokens of Channels were sealed by a secret that a process does not have',
    heading: 'Tokens can not be unsealed',
    fires: seen('10m', series('crier_failures_total', 'event="connection-unseal-failed"', '0x5 1x10')),
    silent: seen('10m', series('crier_failures_total', 'event="connection-unseal-failed"', '7x20')),
  },
  {
    name: 'CrierNothingIsPublished',
    severity: 'page',
    expr: unlessExplained(
      'max by (namespace) (crier_publishing_held{scope="all"}) > 0 or (sum by (namespace) (crier_publish_in_flight) > 0 and on (namespace) sum by (namespace) (increase(crier_attempts_ended_total[30m])) == 0)',
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
];
