/**
 * What operators watch, as data; an adapter makes the metrics. Names are in base units, and those of counters end in
 * `_total`.
 */
interface NamedMetric<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export interface CounterSpec<L extends string = string> extends NamedMetric<L> {
  readonly kind: 'counter';
}

export interface HistogramSpec<L extends string = string> extends NamedMetric<L> {
  readonly kind: 'histogram';
  /** Upper bounds, ascending; one at each threshold that an alert may name. */
  readonly bounds: readonly number[];
}

/** Read at each scrape; the composition root knows from what. */
export interface GaugeSpec<L extends string = string> extends NamedMetric<L> {
  readonly kind: 'gauge';
}

export type MetricSpec = CounterSpec | HistogramSpec | GaugeSpec;

const metricOf =
  <const K extends 'counter' | 'gauge'>(kind: K) =>
  <const L extends string = never>(name: string, help: string, labels: readonly L[] = []) =>
    ({ kind, name, help, labels }) as const;

export const counter = metricOf('counter');
export const gauge = metricOf('gauge');

export function histogram<const L extends string = never>(
  name: string,
  help: string,
  bounds: readonly number[],
  labels: readonly L[] = [],
): HistogramSpec<L> {
  return { kind: 'histogram', name, help, labels, bounds };
}

export const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const LATENESS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 30, 60, 120, 300, 900];
