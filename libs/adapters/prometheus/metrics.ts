import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  EVENT_METRICS,
  FAILURES,
  GAUGES,
  type Facts,
  type GaugeName,
  type MetricSpec,
  type MetricFeed,
} from '#reporting/metrics.ts';

export interface MetricsOptions {
  /** Labels of crier_build_info. */
  readonly build: { readonly version: string; readonly engine: string };
  /** False leaves out what Node and the process say of themselves (it keeps an event loop monitor running). */
  readonly process?: boolean;
}

/** One value a set of labels. */
export type GaugeValue = readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];

export interface Metrics {
  /** Feeds what is declared for an event. */
  record(event: string, facts: Facts): void;
  failed(event: string): void;
  /** From now on the gauge is read so, at each scrape; a reading that throws leaves the gauge out of it. */
  watch(gauge: GaugeName, read: () => number | GaugeValue): void;
  /** The text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Default metrics of the library whose names its own linter refuses. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
];

/** Series are kept for as long as the process lives: beyond so many values of one label the rest are `other`. */
const MAX_VALUES = 100;
const OTHER = 'other';
const NONE = 'none';

export function createMetrics({ build, process = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (process) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  const about = new Gauge({
    name: 'crier_build_info',
    help: 'Always 1; what runs here is in the labels',
    labelNames: ['version', 'engine', 'node'],
    registers: [registry],
  });
  about.set({ ...build, node: globalThis.process.versions.node }, 1);

  const bound = new BoundedLabels();
  const made = new Map<string, Counter<string> | Histogram<string>>();
  for (const { metric } of Object.values(EVENT_METRICS).flat())
    if (!made.has(metric.name)) made.set(metric.name, make(metric, registry));
  const failures = new Counter<string>({ ...named(FAILURES), registers: [registry] });

  const feed = (recording: MetricFeed, facts: Facts): void => {
    const { metric, when } = recording;
    if (when !== undefined && facts[when[0]] !== when[1]) return;
    const value = valueOf(recording, facts);
    if (value === null) return;
    const labels = bound.labels(metric.name, labelsOf(recording, facts));
    const instrument = made.get(metric.name)!;
    if (instrument instanceof Counter) instrument.inc(labels, value);
    else instrument.observe(labels, value);
  };

  return {
    record: (event, facts) => EVENT_METRICS[event]?.forEach((recording) => feed(recording, facts)),
    failed: (event) => failures.inc(bound.labels(FAILURES.name, { event })),
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

function make(spec: MetricFeed['metric'], registry: Registry): Counter<string> | Histogram<string> {
  const common = { ...named(spec), registers: [registry] };
  return spec.kind === 'counter' ? new Counter(common) : new Histogram({ ...common, buckets: [...spec.bounds] });
}

function collectInto(gauge: Gauge<string>, read: () => number | GaugeValue): void {
  gauge.reset();
  try {
    const reading = read();
    if (typeof reading === 'number') gauge.set(reading);
    else for (const { labels = {}, value } of reading) gauge.set(labels, value);
  } catch {
    // A scrape must not fail because one service is not there yet.
  }
}

/** null: the fact is missing, or no number that can be counted. */
function valueOf({ metric, value, times = 1 }: MetricFeed, facts: Facts): number | null {
  if (value === undefined) return 1;
  const fact = facts[value];
  if (typeof fact !== 'number' || !Number.isFinite(fact)) return null;
  // Clocks differ: what seems to have come before it was due was on time.
  return Math.max(0, fact * times) || (metric.kind === 'counter' ? null : 0);
}

function labelsOf({ from = {}, always = {} }: MetricFeed, facts: Facts): Record<string, string> {
  const labels: Record<string, string> = { ...always };
  for (const [label, fact] of Object.entries(from)) labels[label] = facts[fact] == null ? NONE : String(facts[fact]);
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
    if (values.size < MAX_VALUES) values.add(value);
    return values.has(value);
  }
}
