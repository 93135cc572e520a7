import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { metricsPage } from '#reporting/metrics-page.ts';
import { commandsOf } from '../../test/tidy/runbook.ts';
import { toolAt } from '#testing/tool-at.ts';
import { run } from '../helm.fixture.ts';
import type { Alert, RuleCase, Series } from './alert.ts';
import { BURN_RECORDINGS } from './burn-rates.ts';
import { seen, series } from './cases.ts';
import { ALERTS, rulesFile } from './rules-file.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RULES = join(ROOT, 'helm/crier/files/rules.yaml');

/** Symptoms of the runbook that no alert stands for, and why. */
const WITHOUT_ALERT: Readonly<Record<string, string>> = {
  'A release can not read the data':
    'the process ends with one sentence, and the pod does not get ready: the rollout tells',
  'When an engine refuses Crier': 'a process without a right does not get ready: the rollout tells',
};

const kinds = new Map(
  [...readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').matchAll(/^\| \[(.+?)\]\(#.+?\) \| (\w+) \|/gm)].map(
    ([, heading, kind]) => [heading!, kind!],
  ),
);

test('the file of rules is what the code writes', () => {
  expect(readFileSync(RULES, 'utf8')).toBe(rulesFile());
});

test('each alert has a name of its own and a heading of the runbook, of its kind or a milder one', () => {
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
  const misled = ALERTS.filter(
    ({ heading, severity }) =>
      kinds.get(heading) !== severity && !(severity === 'ticket' && kinds.get(heading) === 'page'),
  );
  expect(misled.map(({ name, heading }) => `${name}: ${heading}`)).toEqual([]);
});

test('each symptom of the runbook that is a page or a ticket has an alert of that kind, or a reason', () => {
  const told = new Set(ALERTS.map(({ heading, severity }) => `${severity} ${heading}`));
  const silent = [...kinds].filter(
    ([heading, kind]) =>
      ['page', 'ticket'].includes(kind) && !told.has(`${kind} ${heading}`) && !(heading in WITHOUT_ALERT),
  );
  expect(silent).toEqual([]);
});

test('the runbook looks at endpoints that have failed for as short as an alert takes to tell of them', () => {
  const page = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
  const looks = commandsOf(page).filter(({ command }) => command.startsWith('crier admin failingEndpoints.list'));
  const headings = new Set(ALERTS.filter(({ expr }) => expr.includes('crier_webhook_')).map(({ heading }) => heading));
  expect(new Set(looks.map(({ heading }) => heading))).toEqual(headings);
  // Left out it is a day: nothing would be listed when the alert comes.
  for (const { command } of looks) expect(command).toContain('"forHours":0');
});

test('every metric of the rules is one that processes have', () => {
  const known = new Set([...metricsPage().matchAll(/^\| (crier_\w+) \|/gm)].map((match) => match[1]));
  const text = [...ALERTS, ...BURN_RECORDINGS].map(({ expr }) => expr).join(' ');
  const named = [...text.matchAll(/\bcrier_\w+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(30);
  const unknown = named.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|count|sum)$/, '')));
  expect(unknown).toEqual([]);
});

test('the boundary of 60 s that burn rates count by is a bucket of the metric', () => {
  const row = /^\| crier_variant_start_lateness_seconds \|.*$/m.exec(metricsPage())![0];
  expect(row).toMatch(/buckets [\d. ]*\b60 /);
});

test('who opens the heading of an alert finds a command that shows what fired, and one that says or does more', () => {
  const commands = commandsOf(readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8'));
  const lacking = ALERTS.flatMap(({ name, heading, expr }) => {
    const ofHeading = commands.filter((one) => one.heading === heading).map(({ command }) => command);
    const metrics = metricsIn(expr).map((metric) => metric.replace(/_(bucket|count|sum)$/, ''));
    const shows = ofHeading.some((command) => metrics.some((metric) => command.includes(metric)));
    const says = ofHeading.some((command) => command.startsWith('crier '));
    return [
      ...(shows ? [] : [`${name}: no command under "${heading}" looks at ${[...new Set(metrics)].join(' or ')}`]),
      ...(says ? [] : [`${name}: no command of crier stands under "${heading}"`]),
    ];
  });
  expect(lacking).toEqual([]);
});

/** The metrics of processes that a query reads, by way of recordings too. */
function metricsIn(expr: string): readonly string[] {
  const queries = [expr, ...neededBy(expr, BURN_RECORDINGS).map((one) => one.expr)];
  return queries.flatMap((query) => [...query.matchAll(/\b(?:crier|nodejs)_\w+/g)].map(([metric]) => metric));
}

/** The recordings that a query names, behind those that they name. */
function neededBy<R extends { readonly record?: string; readonly expr: string }>(
  expr: string,
  all: readonly R[],
): readonly R[] {
  const named = all.filter(({ record }) => record !== undefined && new RegExp(`${record}\\b`).test(expr));
  return [...new Set([...named.flatMap((one) => neededBy(one.expr, all)), ...named])];
}

/** As a rule test of promtool: an alert fires in one case, with its labels, and not in the other. */
function ruleTest(alert: Alert, { series, at, step }: RuleCase, fires: boolean): object {
  return {
    interval: step ?? '1m',
    name: `${alert.name} ${fires ? 'fires' : 'stays silent'}`,
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert.name}", alertstate="firing", severity="${alert.severity}"}) > bool 0`,
        eval_time: at,
        exp_samples: fires ? [{ value: 1 }] : [],
      },
    ],
  };
}

/** The same, while a page that names a cause fires all along. */
function explained({ series, ...when }: RuleCase): RuleCase {
  const cause = 'ALERTS{alertname="CrierDiskFull", alertstate="firing", namespace="crier"}';
  return { ...when, series: [...series, [cause, '1x2000']] };
}

describe.skipIf(toolAt('promtool') === null)('by promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-rules-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A file for each alert, with what it needs alone: every rule at every minute of three days would take minutes. */
  const testAlerts = (rules: string, alerts: readonly Alert[]) => {
    const { groups } = parse(rules) as {
      groups: { name: string; rules: { alert?: string; record?: string; expr: string }[] }[];
    };
    const all = groups.flatMap((group) => group.rules);
    const files = alerts.map((alert) => {
      const rule = all.find((one) => one.alert === alert.name)!;
      const [rulesPath, testsPath] = [join(folder, `${alert.name}.rules.yaml`), join(folder, `${alert.name}.yaml`)];
      writeFileSync(rulesPath, stringify({ groups: [{ name: 'crier', rules: [...neededBy(rule.expr, all), rule] }] }));
      const isLong = /[hd]$/.test(alert.fires.at);
      const tests = [
        ruleTest(alert, alert.fires, true),
        ruleTest(alert, alert.silent, false),
        ...(alert.expr.includes('crier:explained_by_') ? [ruleTest(alert, explained(alert.fires), false)] : []),
      ];
      writeFileSync(
        testsPath,
        stringify({ rule_files: [rulesPath], evaluation_interval: isLong ? '10m' : '1m', tests }),
      );
      return testsPath;
    });
    return run(toolAt('promtool')!, ['test', 'rules', ...files]);
  };

  test('the rules are well written', async () => {
    const { code, output, errors } = await run(toolAt('promtool')!, [
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      RULES,
    ]);
    expect(code, output + errors).toBe(0);
  });

  test('each alert fires on what it is for, and stays silent on what is borne', { timeout: 300_000 }, async () => {
    const { code, output, errors } = await testAlerts(rulesFile(), ALERTS);
    expect(code, output + errors).toBe(0);
  });

  test('a canary that makes a Post an hour is stale after an hour', { timeout: 300_000 }, async () => {
    const stale = ALERTS.find(({ name }) => name === 'CrierCanaryStale')!;
    const canary = (due: string): Series[] => [
      series('crier_canary_every_seconds', 'pod="a"', '3600x200'),
      series('crier_canary_last_success_timestamp_seconds', 'stage="due"', due),
    ];
    const hourly = { ...stale, fires: seen('80m', ...canary('0x200')), silent: seen('61m', ...canary('0x200')) };
    const { code, output, errors } = await testAlerts(rulesFile(), [hourly]);
    expect(code, output + errors).toBe(0);
  });

  test('late starts fire by buckets as Prometheus 2 names them, too', { timeout: 300_000 }, async () => {
    const late = ALERTS.filter(({ name }) => name.startsWith('CrierStartsLate'));
    const asExposed = ({ series: all, ...when }: RuleCase): RuleCase => ({
      ...when,
      series: all.map(([name, values]) => [name.replace('le="60.0"', 'le="60"'), values]),
    });
    const alerts = late.map((alert) => ({ ...alert, fires: asExposed(alert.fires), silent: asExposed(alert.silent) }));
    expect(alerts.flatMap(({ fires }) => fires.series.filter(([name]) => name.includes('le="60"')))).toHaveLength(4);
    const { code, output, errors } = await testAlerts(rulesFile(), alerts);
    expect(code, output + errors).toBe(0);
  });

  test('one long upload in a quiet night pages nobody, and attempts that hang do', { timeout: 60_000 }, async () => {
    const nothing = ALERTS.find(({ name }) => name === 'CrierNothingIsPublished')!;
    const attempts = (running: string): Series[] => [
      series('crier_publish_in_flight', 'network="youtube", pod="a"', running),
      series('crier_publish_in_flight', 'network="x", pod="a"', '0x100'),
      series('crier_attempts_ended_total', 'network="youtube", pod="a", outcome="published"', '5x100'),
    ];
    const quiet = {
      ...nothing,
      fires: seen('60m', ...attempts('0x10 2x90')),
      silent: seen('68m', ...attempts('0x40 1x28 0x30')),
    };
    const { code, output, errors } = await testAlerts(rulesFile(), [quiet]);
    expect(code, output + errors).toBe(0);
  });

  test('an alert whose threshold nothing reaches is found', async () => {
    const [alert] = ALERTS.filter(({ name }) => name === 'CrierTimersOverdue');
    const planted = rulesFile().replace(alert!.expr, alert!.expr.replace('> 120', '> 12000'));
    expect(planted).not.toBe(rulesFile());
    const { code } = await testAlerts(planted, [alert!]);
    expect(code).toBe(1);
  });
});
