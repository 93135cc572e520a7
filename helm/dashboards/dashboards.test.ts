import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { toolAt } from '#testing/tool-at.ts';
import { objectsOf, run, template } from '../helm.fixture.ts';
import { BURN_RECORDINGS } from '../rules/burn-rates.ts';
import { ALERTS, anchorOf } from '../rules/rules-file.ts';
import { DASHBOARDS, WITHOUT_PANEL } from './dashboards.ts';
import { grafanaJson, RUNBOOK_URL } from './grafana-json.ts';
import { CATALOGUE_METRICS, NODE_METRICS } from './known-metrics.ts';
import { perSecond, quantile, recorded, sumOf } from './queries.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'helm/crier/files/dashboards');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface WrittenPanel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly links?: readonly { readonly url: string }[];
}

interface WrittenDashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly WrittenPanel[];
}

/** What Grafana reads. */
const written = readdirSync(FOLDER).map(
  (file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as WrittenDashboard,
);
const panelsOf = ({ panels }: WrittenDashboard): readonly WrittenPanel[] => panels.filter(({ type }) => type !== 'row');
const panels = written.flatMap((dashboard) => panelsOf(dashboard).map((panel) => ({ dashboard, panel })));
const exprsOf = ({ targets = [] }: WrittenPanel): readonly string[] => targets.map(({ expr }) => expr);
const everyExpr = panels.flatMap(({ panel }) => exprsOf(panel));

const SUFFIX = /_(bucket|count|sum)$/;
const namesIn = (expr: string): readonly string[] => [...expr.matchAll(/([a-z_][\w:]*)\{/g)].map((match) => match[1]!);

/** The metrics of an expression that no process and no rule has. */
function unknownIn(expr: string, known: ReadonlySet<string>): readonly string[] {
  return namesIn(expr).filter((name) => !known.has(name));
}

/** Names as a scrape of a process has them, and those that rules record. */
async function seriesNames(): Promise<ReadonlySet<string>> {
  const metrics = createMetrics({ build: { version: '1.2.3', engine: 'memory' } });
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const declared = types.map(([, name, kind]): readonly [string, string] => [name!, kind!]);
  // Gauges are in a scrape once a process watches them.
  const all = [...declared, ...CATALOGUE_METRICS.map(({ name, kind }) => [name, kind] as const)];
  const scraped = all.flatMap(([name, kind]) =>
    kind === 'histogram' || kind === 'summary' ? ['_bucket', '_count', '_sum'].map((part) => name + part) : [name],
  );
  return new Set([...scraped, ...BURN_RECORDINGS.map(({ record }) => record)]);
}

test('the files are what the code writes, and there is no other', () => {
  const files = Object.fromEntries(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]));
  expect(files).toEqual(Object.fromEntries(DASHBOARDS.map((one) => [`${one.name}.json`, grafanaJson(one)])));
});

test('each panel has a title of its own in its dashboard, a unit, a name for each line, and whole sentences', () => {
  expect(new Set(written.map(({ uid }) => uid)).size).toBe(written.length);
  expect(panels.length).toBeGreaterThan(80);
  for (const dashboard of written) {
    const titles = panelsOf(dashboard).map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
  }
  for (const { dashboard, panel } of panels) {
    const where = `${dashboard.title}, ${panel.title}`;
    expect(panel.fieldConfig?.defaults.unit, where).toMatch(/^\w+$/);
    expect(panel.description, where).toMatch(/^\S+ .{20,}\.$/);
    expect(panel.targets?.length, where).toBeGreaterThan(0);
    for (const { legendFormat } of panel.targets!) expect(legendFormat, where).not.toBe('');
  }
});

test('no panel covers another, and none leaves the 24 columns', () => {
  for (const { title, panels: all } of written) {
    const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size, title).toBe(cells.length);
    expect(Math.max(...all.map(({ gridPos }) => gridPos.x + gridPos.w)), title).toBe(24);
  }
});

test('docs/dashboards.md has a picture of each', () => {
  const shown = [...read('docs/dashboards.md').matchAll(/^!\[.+\]\((dashboards\/[\w-]+\.png)\)$/gm)].map(
    (match) => match[1]!,
  );
  expect(shown).toEqual(DASHBOARDS.map(({ name }) => `dashboards/${name}.png`));
  expect(shown.filter((path) => !existsSync(join(ROOT, 'docs', path)))).toEqual([]);
});

describe('the runbook', () => {
  const headings = new Set([...read('docs/runbook.md').matchAll(/^## (.+)$/gm)].map((match) => anchorOf(match[1]!)));
  const linked = panels.flatMap(({ panel }) => (panel.links ?? []).map(({ url }) => url));

  test('has every heading that a panel links to', () => {
    expect(linked.length).toBeGreaterThan(30);
    expect(linked.filter((url) => !url.startsWith(`${RUNBOOK_URL}#`))).toEqual([]);
    expect(linked.filter((url) => !headings.has(url.slice(RUNBOOK_URL.length + 1)))).toEqual([]);
  });

  test('has no heading of an alert that no panel links to', () => {
    const missing = ALERTS.map(({ heading }) => heading).filter(
      (heading) => !linked.includes(`${RUNBOOK_URL}#${anchorOf(heading)}`),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('has the address that values.yaml gives and that the chart looks for', () => {
    const values = parse(read('helm/crier/values.yaml')) as { monitoring: { rules: { runbookUrl: string } } };
    expect(values.monitoring.rules.runbookUrl).toBe(RUNBOOK_URL);
    expect(read('helm/crier/templates/monitoring.yaml')).toContain(`replace "${RUNBOOK_URL}" $runbook`);
  });
});

describe('the metrics of panels', () => {
  test('are metrics of a process, or recorded by a rule', async () => {
    const known = await seriesNames();
    expect(everyExpr.filter((expr) => namesIn(expr).length === 0)).toEqual([]);
    expect(everyExpr.flatMap((expr) => unknownIn(expr, known))).toEqual([]);
    expect(unknownIn('sum(rate(crier_turn_total{outcome="lost"}[5m]))', known)).toEqual(['crier_turn_total']);
    expect(unknownIn('max(nodejs_eventloop_lag_p90_second{})', known)).toEqual(['nodejs_eventloop_lag_p90_second']);
    const scraped = NODE_METRICS.map(({ name, kind }) => (kind === 'histogram' ? `${name}_count` : name));
    expect(scraped.filter((name) => !known.has(name))).toEqual([]);
  });

  test('are all that the catalogue has, but for those that are left out with a reason', () => {
    const shown = new Set(everyExpr.flatMap(namesIn).map((name) => name.replace(SUFFIX, '')));
    const missing = (without: Readonly<Record<string, string>>): readonly string[] =>
      CATALOGUE_METRICS.map(({ name }) => name).filter((name) => !shown.has(name) && !(name in without));
    expect(missing(WITHOUT_PANEL)).toEqual([]);
    for (const [name, reason] of Object.entries(WITHOUT_PANEL)) {
      expect(CATALOGUE_METRICS.some((metric) => metric.name === name) && !shown.has(name), name).toBe(true);
      expect(reason, name).toMatch(/^\w+ .{20,}/);
    }
    const [first] = Object.keys(WITHOUT_PANEL);
    expect(missing({})).toContain(first);
  });

  test('are not added up over processes where each process shows all of them', () => {
    const alike = ['crier_publishing_held', 'crier_data_format', 'crier_schema_version', 'crier_canary_every_seconds'];
    const summed = new RegExp(`^sum.*\\b(${alike.join('|')})\\{`);
    expect(everyExpr.filter((expr) => summed.test(expr))).toEqual([]);
  });

  test('are of the namespace that the dashboard shows, each in every query', () => {
    for (const expr of everyExpr) {
      const selectors = [...expr.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]!);
      expect(
        selectors.filter((selector) => !selector.startsWith('namespace=~"$namespace"')),
        expr,
      ).toEqual([]);
    }
    for (const { dashboard, panel } of panels) {
      const names = ['__rate_interval', ...dashboard.templating.list.map(({ name }) => name)];
      const used = [
        ...exprsOf(panel)
          .join(' ')
          .matchAll(/\$(\w+)/g),
      ].map((match) => match[1]!);
      expect(
        used.filter((name) => !names.includes(name)),
        panel.title,
      ).toEqual([]);
    }
  });

  test('can be written with no misspelt name, no label that they lack, and no query of another kind', () => {
    expect(() => sumOf('crier_timers_over_due')).toThrow('is in no catalogue');
    expect(() => perSecond('crier_turns_total', { by: ['network'] })).toThrow('has no label network');
    expect(() => perSecond('crier_turns_total', { where: ['result="lost"'] })).toThrow('has no label result');
    expect(() => perSecond('crier_timers_overdue')).toThrow('is a gauge, not a counter or histogram');
    expect(() => quantile(0.95, 'crier_turns_total')).toThrow('is a counter, not a histogram');
    expect(() => recorded('crier:start_failures:ratio_rate4h', '4h')).toThrow('no rule records');
  });
});

describe.skipIf(toolAt('promtool') === null)('by promtool', () => {
  const parsed = async (exprs: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-dashboards-'));
    const file = join(folder, 'rules.yaml');
    const rules = exprs.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }, { lineWidth: 0 }));
    const { code, output, errors } = await run(toolAt('promtool')!, ['check', 'rules', file]);
    rmSync(folder, { recursive: true });
    return { code, words: output + errors };
  };

  test('every query is PromQL', async () => {
    const { code, words } = await parsed(everyExpr);
    expect(code, words).toBe(0);
    expect(words).toContain(`SUCCESS: ${everyExpr.length} rules found`);
  });

  test('a query that is none is found', async () => {
    const { code, words } = await parsed([...everyExpr, `${everyExpr[0]!})`]);
    expect(code).not.toBe(0);
    expect(words).toContain('could not parse expression');
  });
});

// `make chart` builds helm, which takes minutes; the suite runs wherever it is there.
describe.skipIf(toolAt('helm') === null)('the chart', () => {
  const configMapsOf = async (monitoring: object) => {
    const { code, output, errors } = await template([], { monitoring });
    expect(code, errors).toBe(0);
    return objectsOf(output).filter(
      ({ kind, data }) => kind === 'ConfigMap' && JSON.stringify(data).includes('panels'),
    );
  };

  test('makes a ConfigMap of each dashboard that a sidecar finds, with links to the runbook of its values', async () => {
    const runbookUrl = 'https://intranet.example/wiki/runbook';
    const made = await configMapsOf({ dashboards: { enabled: true }, rules: { runbookUrl } });
    expect(made.map(({ metadata }) => metadata.name)).toEqual(
      DASHBOARDS.map(({ name }) => `crier-dashboard-${name}`).toSorted(),
    );
    for (const { metadata, data } of made) {
      expect(metadata).toMatchObject({ namespace: 'default', labels: { grafana_dashboard: '1' } });
      const [[file, text]] = Object.entries(data!) as [[string, string]];
      const dashboard = JSON.parse(text) as WrittenDashboard;
      expect(file).toBe(`${dashboard.uid}.json`);
      const urls = panelsOf(dashboard).flatMap(({ links = [] }) => links.map(({ url }) => url));
      expect(urls.filter((url) => !url.startsWith(`${runbookUrl}#`))).toEqual([]);
      // The limit of an object of Kubernetes is 1 MiB.
      expect(text.length).toBeLessThan(500_000);
    }
  });

  test('makes none unless it is told to', async () => {
    expect(await configMapsOf({})).toEqual([]);
  });

  test('names them by the namespace of the release where they are put into another', async () => {
    const made = await configMapsOf({ dashboards: { enabled: true, namespace: 'grafana' } });
    expect(made.map(({ metadata }) => metadata.name)).toContain('default-crier-dashboard-overview');
    expect(made).toHaveLength(DASHBOARDS.length);
  });
});
