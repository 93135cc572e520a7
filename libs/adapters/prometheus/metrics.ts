import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  BUILD_INFO,
  EVENT_SPECS,
  FAILURES_TOTAL,
  FED_METRICS,
  GAUGES,
  type EventName,
  type FailureName,
  type GaugeName,
} from '#reporting/catalogue.ts';
import type { Feed } from '#reporting/event.ts';
import type { Facts } from '#reporting/fact.ts';
import type { MetricSpec } from '#reporting/metric.ts';

export interface MetricsOptions {
  /** Labels of crier_build_info. */
  readonly build: { readonly version: string; readonly engine: string };
  /** False leaves out the metrics of Node and the process, which keep a monitor of the event loop running. */
  readonly process?: boolean;
}

type LabelsOf<G extends GaugeName> = (typeof GAUGES)[G]['labels'][number];

/** A number for a gauge without labels; for one with labels, a value for each set of them. */
export type GaugeReading<G extends GaugeName> = [LabelsOf<G>] extends [never]
  ? number
  : readonly { readonly labels: Readonly<Record<LabelsOf<G>, string>>; readonly value: number }[];

type AnyReading = number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

export interface Metrics {
  /** Feeds the metrics that the catalogue declares for the event. */
  record(event: EventName, facts: Facts): void;
  failed(event: FailureName): void;
  /** From now on the gauge is read so at each scrape. When `read` throws, the scrape leaves the gauge out. */
  watch<G extends GaugeName>(gauge: G, read: () => GaugeReading<G>): void;
  /** The text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Default metrics of the library whose names the linter of Prometheus refuses. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
];

/** The process keeps a series for as long as it lives: beyond so many values of one label the rest are `other`. */
const MAX_VALUES_OF_LABEL = 100;
const OTHER = 'other';
const NONE = 'none';
const NODE_VERSION = globalThis.process.versions.node;

export function createMetrics({ build, process = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (process) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  new Gauge<string>({ ...named(BUILD_INFO), registers: [registry] }).set({ ...build, node: NODE_VERSION }, 1);

  const bound = new BoundedLabels();
  const instruments = new Map(FED_METRICS.map((metric) => [metric.name, make(metric, registry)]));
  const failures = new Counter<string>({ ...named(FAILURES_TOTAL), registers: [registry] });

  const apply = (feed: Feed, facts: Facts): void => {
    const { metric, when } = feed;
    if (when !== undefined && facts[when[0]] !== when[1]) return;
    const value = valueOf(feed, facts);
    if (value === null) return;
    const labels = bound.labels(metric.name, labelsOf(feed, facts));
    const instrument = instruments.get(metric.name)!;
    if (instrument instanceof Counter) instrument.inc(labels, value);
    else instrument.observe(labels, value);
  };

  return {
    record: (event, facts) => EVENT_SPECS.get(event)?.feeds.forEach((feed) => apply(feed, facts)),
    failed: (event) => failures.inc(bound.labels(FAILURES_TOTAL.name, { event })),
    watch: (name, read) => {
      const spec = GAUGES[name];
      registry.removeSingleMetric(spec.name);
      new Gauge<string>({
        ...named(spec),
        registers: [registry],
        collect() {
          collectInto(this, read);
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function named({ name, help, labels }: MetricSpec): { name: string; help: string; labelNames: string[] } {
  return { name, help, labelNames: [...labels] };
}

function make(spec: Feed['metric'], registry: Registry): Counter<string> | Histogram<string> {
  const common = { ...named(spec), registers: [registry] };
  return spec.kind === 'counter' ? new Counter(common) : new Histogram({ ...common, buckets: [...spec.bounds] });
}

function collectInto(gauge: Gauge<string>, read: () => AnyReading): void {
  gauge.reset();
  try {
    const reading = read();
    if (typeof reading === 'number') gauge.set(reading);
    else for (const { labels, value } of reading) gauge.set(labels, value);
  } catch {
    // A scrape must not fail because one service has not started yet.
  }
}

/** Null: the fact is missing, or is no number that can be counted. */
function valueOf({ metric, value }: Feed, facts: Facts): number | null {
  if (value === undefined) return 1;
  const fact = facts[value];
  if (typeof fact !== 'number' || !Number.isFinite(fact)) return null;
  const inBaseUnits = value.endsWith('Ms') ? fact / 1_000 : fact;
  // The clocks of machines differ: an event that seems to have come before it was due was on time.
  return Math.max(0, inBaseUnits) || (metric.kind === 'counter' ? null : 0);
}

function labelsOf(feed: Feed, facts: Facts): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [label, source] of Object.entries(feed.labels))
    labels[label] = 'constant' in source ? source.constant : String(facts[source.fact] ?? NONE);
  return labels;
}

class BoundedLabels {
  readonly #values = new Map<string, Set<string>>();

  labels(metric: string, given: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(given).map(([label, value]) => [label, this.#known(`${metric} ${label}`, value) ? value : OTHER]),
    );
  }

  #known(place: string, value: string): boolean {
    const values = this.#values.get(place) ?? new Set();
    this.#values.set(place, values);
    if (values.size < MAX_VALUES_OF_LABEL) values.add(value);
    return values.has(value);
  }
}
