import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { toolAt } from '#testing/tool-at.ts';
import { run } from '../helm.fixture.ts';
import type { Series } from './alert.ts';
import { ownedSeries, series } from './cases.ts';
import { rulesFile } from './rules-file.ts';

/** A fault lasts from minute 10 to minute 40, and what it left over is worked off by minute 43. */
const held = (before: number, during: number, after = before): string => `${before}x9 ${during}x29 ${after}x60`;
/** A counter that grows by so many a minute before and after, and during the fault. */
const grows = (usual: number, during: number): string =>
  `0+${usual}x9 ${10 * usual}+${during}x29 ${10 * usual + 30 * during}+${usual}x60`;

const CONSUMERS = { workspace: 64, scheduler: 64, 'publisher-x': 16 } as const;
const owned = (values: (all: number) => string): readonly Series[] =>
  Object.entries(CONSUMERS).map(([consumer, all]) => ownedSeries(consumer, values(all)));
const build = (engine: string): Series =>
  series('crier_build_info', `engine="${engine}", version="1", pod="a"`, '1x100');

const writesFail: readonly Series[] = [
  series('crier_http_request_duration_seconds_count', 'operation="createPost", status_class="5xx"', grows(0, 60)),
  series('crier_http_request_duration_seconds_count', 'operation="createPost", status_class="2xx"', grows(60, 0)),
];
/** What came due in half an hour begins within three minutes after it, most of it late. */
const startsLate: readonly Series[] = [
  series('crier_variant_start_lateness_seconds_count', 'network="x"', '0+60x9 600x29 1200+600x2 2460+60x57'),
  series('crier_variant_start_lateness_seconds_bucket', 'network="x", le="60.0"', '0+60x9 600x29 620+20x2 720+60x57'),
];
const timersWait = series('crier_timers_oldest_overdue_seconds', 'pod="a"', '0x9 0+60x29 0x60');
const canaryEvery = series('crier_canary_every_seconds', 'pod="a"', '60x100');
const canaryWaits = [
  canaryEvery,
  series('crier_canary_last_success_timestamp_seconds', 'stage="told", pod="a"', '0+60x9 540x31 2520+60x58'),
];
const checkFails = (check: string): Series => series('crier_check_failed', `check="${check}", pod="a"`, held(0, 1, 0));

interface SeenFault {
  readonly fault: string;
  readonly alert: string;
  readonly series: readonly Series[];
}

const FAULTS: readonly SeenFault[] = [
  {
    fault: 'Kafka is stopped',
    alert: 'CrierLogAway',
    series: [
      ...[build('cluster'), checkFails('log'), timersWait, ...canaryWaits],
      ...[...owned((all) => held(all, 0)), ...writesFail, ...startsLate],
    ],
  },
  {
    fault: 'Cassandra is stopped',
    alert: 'CrierTablesAway',
    series: [
      ...[build('cluster'), checkFails('store'), timersWait, ...canaryWaits],
      series('crier_store_request_duration_seconds_count', 'outcome="ok", pod="a"', grows(600, 0)),
      series('crier_store_request_duration_seconds_count', 'outcome="unavailable", pod="a"', grows(0, 600)),
      ...[...owned((all) => held(all, 0)), ...writesFail, ...startsLate],
    ],
  },
  {
    fault: 'the disk is full',
    alert: 'CrierDiskFull',
    series: [
      ...[build('embedded'), checkFails('log'), checkFails('store'), timersWait, ...canaryWaits],
      series('crier_data_free_bytes', 'pod="a"', held(1e9, 0)),
      series('crier_store_request_duration_seconds_count', 'outcome="ok", pod="a"', grows(600, 60)),
      series('crier_store_request_duration_seconds_count', 'outcome="unavailable", pod="a"', grows(0, 600)),
      ...[...owned((all) => `${all}x100`), ...writesFail, ...startsLate],
    ],
  },
  {
    fault: 'the clock is an hour behind',
    alert: 'CrierClockWrong',
    series: [
      ...[build('embedded'), timersWait, ...owned((all) => `${all}x100`), ...startsLate],
      series('crier_clock_timestamp_seconds', 'pod="a"', '0+60x9 -3000+60x29 2400+60x60'),
      canaryEvery,
      series('crier_canary_last_success_timestamp_seconds', 'stage="told", pod="a"', '0+60x9 -3060+60x29 2340+60x60'),
    ],
  },
  {
    fault: 'the clock of the only machine leaps by an hour, and a Network contradicts it',
    alert: 'CrierClockWrong',
    series: [
      ...[build('embedded'), ...owned((all) => `${all}x100`)],
      series('crier_clock_timestamp_seconds', 'pod="a"', '0+60x100'),
      series('crier_clock_leap_seconds', 'pod="a"', '0x9 3600x29 0x60'),
    ],
  },
  {
    fault: 'a process is started with another secret',
    alert: 'CrierSecretRefused',
    series: [
      ...[build('embedded'), checkFails('secret'), ...canaryWaits, ...startsLate],
      ...owned((all) => held(all, 0)),
    ],
  },
  {
    fault: 'the only process that publishes is killed',
    alert: 'CrierRoleRunsNowhere',
    series: [
      ...[build('cluster'), ...canaryWaits, ...startsLate],
      ...owned((all) => `${all}x100`).filter(([name]) => !name.includes('publisher')),
      ownedSeries('publisher-x', '16x9 stale _x28 0 16x60', 'b'),
    ],
  },
  {
    fault: 'a workspace process is gone for so long that others would have its partitions',
    alert: 'CrierPartitionsOwnedByNobody',
    series: [build('cluster'), ...owned((all) => held(all, all / 2))],
  },
  {
    fault: 'the only process that answers clients is gone, and its canary with it',
    alert: 'CrierDoorRunsNowhere',
    series: [
      ...[build('cluster'), ...owned((all) => `${all}x100`)],
      series('crier_build_info', 'engine="cluster", version="1", pod="b"', '1x9 stale _x28 1x60'),
      series('crier_roles', 'role="ingress", pod="b"', '1x9 stale _x28 1x60'),
      series('crier_roles', 'role="workspace", pod="a"', '1x100'),
      series('crier_canary_every_seconds', 'pod="b"', '60x9 stale _x28 60x60'),
      series(
        'crier_canary_last_success_timestamp_seconds',
        'stage="told", pod="b"',
        '0+60x9 stale _x28 540x1 2460+60x58',
      ),
    ],
  },
  {
    fault: 'all processes are gone',
    alert: 'CrierRunsNowhere',
    series: [
      series('crier_build_info', 'engine="embedded", version="1", pod="a"', '1x9 stale _x28 1x60'),
      ...owned((all) => `${all}x9 stale _x28 ${all}x60`),
      ...startsLate,
    ],
  },
];

/** Late by a Network of which a ticket tells: nobody is paged. */
const NETWORK_DOWN: readonly Series[] = [
  build('embedded'),
  ...owned((all) => `${all}x100`),
  ...startsLate,
  series('crier_network_circuit_open', 'network="x", pod="a"', held(0, 1, 0)),
];

/** Each run of all rules over an hour takes seconds. */
const PLANTED: readonly string[] = ['CrierLogAway', 'CrierClockWrong'];

describe.skipIf(toolAt('promtool') === null)('by promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-one-page-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Null where just these alerts fired at any time, and none does half an hour later; else what promtool says. */
  async function trouble(
    rules: string,
    seen: { readonly series: readonly Series[]; readonly alerts: readonly string[]; readonly severity: string },
  ): Promise<string | null> {
    const [rulesPath, testPath] = [join(folder, 'rules.yaml'), join(folder, 'test.yaml')];
    writeFileSync(rulesPath, rules);
    const firing = `ALERTS{alertstate="firing", severity="${seen.severity}"}`;
    const expected = (names: readonly string[]) => names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 }));
    const promql = [
      { expr: `group by (alertname) (max_over_time(${firing}[2h]))`, names: seen.alerts },
      { expr: `group by (alertname) (${firing})`, names: [] },
    ].map(({ expr, names }) => ({ expr, eval_time: '75m', exp_samples: expected(names) }));
    const input = seen.series.map(([name, values]) => ({ series: name, values }));
    const cases = [{ interval: '1m', input_series: input, promql_expr_test: promql }];
    writeFileSync(testPath, stringify({ rule_files: [rulesPath], evaluation_interval: '30s', tests: cases }));
    const { code, output, errors } = await run(toolAt('promtool')!, ['test', 'rules', testPath]);
    return code === 0 ? null : output + errors;
  }

  test.each(FAULTS)('when $fault, somebody is paged once: $alert', async ({ alert, series: input }) => {
    expect(await trouble(rulesFile(), { series: input, alerts: [alert], severity: 'page' })).toBe(null);
  });

  test('when a Network is down, a ticket tells of it and nobody is paged for what it made late', async () => {
    expect(await trouble(rulesFile(), { series: NETWORK_DOWN, alerts: [], severity: 'page' })).toBe(null);
    const tickets = { series: NETWORK_DOWN, alerts: ['CrierNetworkOutOfOrder'], severity: 'ticket' };
    expect(await trouble(rulesFile(), tickets)).toBe(null);
  });

  test('without the steps of causes, such a fault pages for what it does elsewhere too', async () => {
    const planted = rulesFile().replace(/ unless on \(namespace\) crier:explained_by_step_\d:max\d+m/g, '');
    expect(planted).not.toBe(rulesFile());
    let twice = 0;
    for (const { alert, series: input } of FAULTS.filter((each) => PLANTED.includes(each.alert)))
      if ((await trouble(planted, { series: input, alerts: [alert], severity: 'page' })) !== null) twice += 1;
    expect(twice).toBe(PLANTED.length);
  });
});
