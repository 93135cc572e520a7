import { alertsOf, type Alert } from './alert.ts';
import { either, level, ownedSeries, series } from './cases.ts';
import { unlessExplained } from './explained.ts';

/** Roles without which nothing is published, in any installation. */
const NEEDED = ['workspace', 'scheduler'];
const owned = 'sum by (namespace, consumer) (crier_partitions_owned)';
const hasProcesses = 'on (namespace) group by (namespace) (crier_build_info)';

/** What stands still as a whole, what was there within a day and is gone, and what never came though all need it. */
const ROLE_RUNS_NOWHERE = [
  `${owned} == 0`,
  `(group by (namespace, consumer) (last_over_time(crier_partitions_owned[1d])) unless on (namespace, consumer) crier_partitions_owned) and ${hasProcesses}`,
  ...NEEDED.map(
    (consumer) =>
      `label_replace(group by (namespace) (crier_build_info) unless on (namespace) crier_partitions_owned{consumer="${consumer}"}, "consumer", "${consumer}", "", "")`,
  ),
].join(' or ');

/** So many a minute. */
const requestsToTables = (unavailable: number, ok: number) =>
  Object.entries({ unavailable, ok }).map(([outcome, each]) =>
    series('crier_store_request_duration_seconds_count', `operation="read", outcome="${outcome}"`, `0+${each}x30`),
  );
const ofCheck = (check: string, values: string, pod = 'a') =>
  series('crier_check_failed', `check="${check}", pod="${pod}"`, values);
const build = (values: string, pod = 'a') => series('crier_build_info', `pod="${pod}"`, values);
const ON_CLUSTER = series('crier_build_info', 'engine="cluster", pod="a"', '1x20');
/** A process with the roles without which nothing works, and one that published to x and is gone. */
const PUBLISHER_GONE = [
  ...[build('1x20'), ownedSeries('workspace', '64x20'), ownedSeries('scheduler', '64x20')],
  ownedSeries('publisher-x', '16x5 stale'),
];

/** Pages that say what is broken. What it does elsewhere is not reported while they fire: see explained.ts. */
export const CAUSES: readonly Alert[] = alertsOf('page', [
  {
    name: 'CrierDiskFull',
    expr: 'min by (namespace, pod) (crier_data_free_bytes) < 100e6',
    for: '30s',
    summary: 'The disk of CRIER_DATA_DIR has {{ $value | humanize1024 }}B left: soon nothing can be written',
    heading: 'A disk is full',
    ...level('crier_data_free_bytes', 'pod="a"', '9e8 5e7x200', '2e8x200'),
  },
  {
    name: 'CrierClockWrong',
    expr: 'abs(crier_clock_timestamp_seconds - timestamp(crier_clock_timestamp_seconds)) > 30 or abs(crier_clock_leap_seconds) > 30',
    for: '30s',
    summary:
      'The clock of {{ $labels.pod }} is {{ $value | humanizeDuration }} off that of Prometheus, or leapt by that and is not followed',
    heading: 'A clock is wrong',
    ...level('crier_clock_timestamp_seconds', 'pod="a"', '3600+60x200', '20+60x200'),
  },
  {
    name: 'CrierSecretRefused',
    expr: 'max by (namespace, pod) (crier_check_failed{check="secret"}) == 1',
    for: '30s',
    summary: '{{ $labels.pod }} was started with a CRIER_SECRET that is not that of the installation: it takes no work',
    heading: 'Tokens can not be unsealed',
    ...either('5m', [ofCheck('secret', '0 1x10')], [ofCheck('secret', '0x10'), ofCheck('clock', '1x10')]),
  },
  {
    name: 'CrierTablesAway',
    // The check tells at once; requests tell of tables that answer the check and little else.
    expr: unlessExplained(
      [
        'avg by (namespace) (crier_check_failed{check="store"}) > 0.5',
        'sum by (namespace) (rate(crier_store_request_duration_seconds_count{outcome=~"unavailable|unknown"}[5m])) / sum by (namespace) (rate(crier_store_request_duration_seconds_count[5m])) > 0.5',
      ].join(' or '),
      { upToStep: 1 },
    ),
    for: '2m',
    summary: 'The tables do not answer: of processes, or of requests to them, {{ $value | humanizePercentage }}',
    heading: 'When an engine is unavailable',
    ...either('15m', requestsToTables(90, 10), requestsToTables(1, 99)),
  },
  {
    name: 'CrierLogAway',
    // Embedded, log and tables are one file, and CrierTablesAway tells. One process of many has a trouble of its own.
    expr: unlessExplained(
      'avg by (namespace) (crier_check_failed{check="log"}) > 0.5 and on (namespace) crier_build_info{engine="cluster"}',
      { upToStep: 1 },
    ),
    for: '2m',
    summary: 'Kafka does not answer {{ $value | humanizePercentage }} of the processes: no change is taken',
    heading: 'When an engine is unavailable',
    ...either(
      '10m',
      [ofCheck('log', '0 1x20'), ON_CLUSTER],
      [ofCheck('log', '1x20'), ofCheck('log', '0x20', 'b'), ofCheck('log', '0x20', 'c'), ON_CLUSTER],
    ),
  },
  {
    name: 'CrierRoleRunsNowhere',
    expr: unlessExplained(ROLE_RUNS_NOWHERE, { upToStep: 2 }),
    for: '3m',
    summary: 'No process takes the records of {{ $labels.consumer }}: they stand still',
    heading: 'Partitions are owned by nobody',
    ...either('15m', PUBLISHER_GONE, [...PUBLISHER_GONE, ownedSeries('publisher-x', '0x5 16x15', 'b')]),
  },
  {
    name: 'CrierRunsNowhere',
    // A day is as far as it remembers: who removes an installation for good removes its rules with it.
    expr: unlessExplained(
      'group by (namespace) (last_over_time(crier_build_info[1d])) unless on (namespace) crier_build_info',
      { upToStep: 1 },
    ),
    for: '3m',
    summary: 'No process of Crier can be scraped in {{ $labels.namespace }}',
    heading: 'No process runs',
    ...either('10m', [build('1x3 stale')], [build('1x3 stale'), build('_x4 1x10', 'b')]),
  },
]);
