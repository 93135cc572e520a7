/**
 * What operators watch, as data; an adapter makes the metrics. Names are in base units, and those of counters end in
 * `_total`.
 */
export interface CounterSpec<L extends string = string> {
  readonly kind: 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export interface HistogramSpec<L extends string = string> {
  readonly kind: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
  /** Upper bounds, ascending; one at each threshold that an alert may name. */
  readonly bounds: readonly number[];
}

/** Read at each scrape; the composition root knows from what. */
export interface GaugeSpec<L extends string = string> {
  readonly kind: 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export type MetricSpec = CounterSpec | HistogramSpec | GaugeSpec;

export function counter<const L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): CounterSpec<L> {
  return { kind: 'counter', name, help, labels };
}

export function histogram<const L extends string = never>(
  name: string,
  help: string,
  bounds: readonly number[],
  labels: readonly L[] = [],
): HistogramSpec<L> {
  return { kind: 'histogram', name, help, labels, bounds };
}

export function gauge<const L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): GaugeSpec<L> {
  return { kind: 'gauge', name, help, labels };
}

export const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const LATENESS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 30, 60, 120, 300, 900];
