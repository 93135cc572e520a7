import type { MetricSpec } from '#reporting/metric.ts';
import { BURN_RECORDINGS } from '../rules/burn-rates.ts';
import { metricNamed } from './known-metrics.ts';

/** A line of a panel. */
export interface PanelQuery {
  /** PromQL, with the variables of the dashboard and of Grafana. */
  readonly expr: string;
  /** How its series are called, with `{{label}}`. */
  readonly legend: string;
}

interface Choice {
  /** Labels that stay apart. Processes, and all other labels, are put together. */
  readonly by?: readonly string[];
  /** Further matchers, as PromQL writes them: `outcome!="ok"`. */
  readonly where?: readonly string[];
  /** Default: the values of `by`. */
  readonly legend?: string;
}

/** The variable `namespace` matches everything while it says All: also where targets have no such label. */
const OF_NAMESPACE = 'namespace=~"$namespace"';
/** Grafana chooses a window that has at least four scrapes. */
const WINDOW = '$__rate_interval';

const labelOf = (matcher: string): string => /^\w+/.exec(matcher)![0];

function seriesOf(name: string, kinds: readonly MetricSpec['kind'][], { by = [], where = [] }: Choice): string {
  const { kind } = metricNamed(name, kinds, [...by, ...where.map(labelOf)]);
  return selected(kind === 'histogram' ? `${name}_count` : name, where);
}

const selected = (name: string, where: readonly string[]): string => `${name}{${[OF_NAMESPACE, ...where].join(', ')}}`;
const over = (aggregation: string, by: readonly string[], expr: string): string =>
  by.length === 0 ? `${aggregation}(${expr})` : `${aggregation} by (${by.join(', ')}) (${expr})`;
const legendOf = ({ by = [], legend }: Choice, otherwise = ''): string =>
  legend ?? ([otherwise, ...by.map((label) => `{{${label}}}`)].join(' ').trim() || 'all');

/** How many a second; of a histogram, what it observed. */
export function perSecond(name: string, choice: Choice = {}): PanelQuery {
  const expr = over('sum', choice.by ?? [], `rate(${seriesOf(name, ['counter', 'histogram'], choice)}[${WINDOW}])`);
  return { expr, legend: legendOf(choice) };
}

/** How many within the window, for what is rare: of many series, those that moved. */
export function increased(name: string, choice: Choice = {}): PanelQuery {
  const { by = [] } = choice;
  const expr = over('sum', by, `increase(${seriesOf(name, ['counter', 'histogram'], choice)}[${WINDOW}])`);
  return { expr: by.length === 0 ? expr : `${expr} > 0`, legend: legendOf(choice) };
}

/** As `perSecond`, of many series those that moved. */
export function movedPerSecond(name: string, choice: Choice): PanelQuery {
  const { expr, legend } = perSecond(name, choice);
  return { expr: `${expr} > 0`, legend };
}

const gauged =
  (aggregation: 'sum' | 'max' | 'min' | 'count') =>
  (name: string, choice: Choice = {}): PanelQuery => ({
    expr: over(aggregation, choice.by ?? [], seriesOf(name, ['gauge'], choice)),
    legend: legendOf(choice),
  });

/** A gauge of every process, added up. */
export const sumOf = gauged('sum');
export const highestOf = gauged('max');
export const lowestOf = gauged('min');
/** How many series a gauge has. */
export const countOf = gauged('count');

/** For how long a gauge that holds an instant has held it. */
export function ageOf(name: string, choice: Choice = {}): PanelQuery {
  return { ...highestOf(name, choice), expr: `time() - ${highestOf(name, choice).expr}` };
}

/** `q` of 1 of what a histogram observed was at most this. */
export function quantile(q: number, name: string, choice: Choice = {}): PanelQuery {
  const { by = [], where = [] } = choice;
  metricNamed(name, ['histogram'], [...by, ...where.map(labelOf)]);
  const buckets = over('sum', ['le', ...by], `rate(${selected(`${name}_bucket`, where)}[${WINDOW}])`);
  return { expr: `histogram_quantile(${q}, ${buckets})`, legend: legendOf(choice, `p${q * 100}`) };
}

export const quantiles = (name: string, choice: Choice = {}): readonly PanelQuery[] =>
  [0.5, 0.95, 0.99].map((q) => quantile(q, name, choice));

export function meanOf(name: string, choice: Choice = {}): PanelQuery {
  const { by = [], where = [] } = choice;
  metricNamed(name, ['histogram'], [...by, ...where.map(labelOf)]);
  const part = (suffix: string): string => over('sum', by, `rate(${selected(`${name}_${suffix}`, where)}[${WINDOW}])`);
  return { expr: `${part('sum')} / (${part('count')} > 0)`, legend: legendOf(choice, 'mean') };
}

/** The part of a counter that also matches `part`. Nothing where nothing was counted. */
export function shareOf(name: string, part: readonly string[], choice: Choice = {}): PanelQuery {
  const all = perSecond(name, choice);
  const some = perSecond(name, { ...choice, where: [...(choice.where ?? []), ...part] });
  return { expr: `${some.expr} / (${all.expr} > 0)`, legend: legendOf(choice) };
}

const RECORDED = new Set(BURN_RECORDINGS.map(({ record }) => record));

/** What a recording rule of the chart holds. */
export function recorded(name: string, legend: string): PanelQuery {
  if (!RECORDED.has(name)) throw new Error(`no rule records ${name}`);
  return { expr: `max(${selected(name, [])})`, legend };
}
