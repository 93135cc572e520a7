import { collectDefaultMetrics, Gauge, Registry, type Metric, type MetricObject } from 'prom-client';
import type { Pause } from '#concurrency/time-slice.ts';
import {
  BUILD_INFO,
  EVENT_SPECS,
  FAILURE_SPECS,
  FAILURES_TOTAL,
  FED_METRICS,
  GAUGES,
  LOG_LINES_TOTAL,
  type EventName,
  type FailureName,
  type GaugeName,
} from '#reporting/catalogue.ts';
import { LEVELS, type Level } from '#reporting/event.ts';
import type { Facts } from '#reporting/fact.ts';
import type { KnownNames } from '#reporting/series.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { FeedLine, named, Instruments, type Instrument } from './instruments.ts';

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
  /** A line of this level was written to the log. */
  wrote(level: Level): void;
  /** Series with these values of labels are there from now on, at 0. To be called before their events come. */
  bear(names: KnownNames): void;
  /** From now on the gauge is read so at each scrape. When `read` fails, the scrape leaves the gauge out. */
  watch<G extends GaugeName>(gauge: G, read: () => GaugeReading<G> | Promise<GaugeReading<G>>): void;
  /** The text format of Prometheus. All metrics take 10 to 30 ms: `pause` is awaited before each of them. */
  text(pause?: Pause): Promise<string>;
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

const NODE_VERSION = globalThis.process.versions.node;

export function createMetrics({ build, process = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (process) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  new Gauge<string>({ ...named(BUILD_INFO), registers: [registry] }).set({ ...build, node: NODE_VERSION }, 1);

  const instruments = new Instruments([...FED_METRICS, FAILURES_TOTAL, LOG_LINES_TOTAL], registry);
  let names: KnownNames = { topic: TOPICS.map(({ name }) => name) };
  instruments.bear(names);
  const feeds = new Map(
    [...EVENT_SPECS].map(([event, spec]) => [
      event,
      spec.feeds.map((feed) => new FeedLine(feed, instruments.of(feed.metric))),
    ]),
  );
  const failures = byValue(instruments.of(FAILURES_TOTAL), 'event', [...FAILURE_SPECS.keys()]);
  const lines = byValue(instruments.of(LOG_LINES_TOTAL), 'level', LEVELS);

  return {
    record: (event, facts) => {
      for (const feed of feeds.get(event) ?? []) feed.apply(facts);
    },
    failed: failures,
    wrote: lines,
    bear: (more) => {
      names = { ...names, ...more };
      instruments.bear(names);
    },
    watch: (name, read) => {
      const spec = GAUGES[name];
      registry.removeSingleMetric(spec.name);
      new Gauge<string>({
        ...named(spec),
        registers: [registry],
        collect() {
          return collectInto(this, read);
        },
      });
    },
    text: (pause) => textOf(registry, pause),
    contentType: registry.contentType,
  };
}

/** Gauges, some of which ask an engine, are all read before the first is waited for. */
async function textOf(registry: Registry, pause: Pause = () => {}): Promise<string> {
  const text = (metric: MetricObject) => registry.getMetricsAsString(metric as unknown as Metric);
  const metrics = registry.getMetricsAsArray();
  const gauges = new Map<MetricObject, Promise<string>>();
  for (const gauge of metrics.filter(({ type }) => type === 'gauge')) {
    await pause();
    const reading = text(gauge);
    // It is waited for further down.
    reading.catch(() => {});
    gauges.set(gauge, reading);
  }
  const texts: string[] = [];
  for (const metric of metrics) {
    await pause();
    texts.push(await (gauges.get(metric) ?? text(metric)));
  }
  return `${texts.join('\n\n')}\n`;
}

/** Counts by one label, whose listed values are born at 0. */
function byValue(instrument: Instrument, label: string, listed: readonly string[]): (value: string) => void {
  instrument.bear(listed.map((value) => ({ [label]: value })));
  const known = new Map(listed.map((value) => [value, instrument.series({ [label]: value }).add]));
  return (value) => (known.get(value) ?? instrument.series({ [label]: value }).add)(1);
}

async function collectInto(gauge: Gauge<string>, read: () => AnyReading | Promise<AnyReading>): Promise<void> {
  gauge.reset();
  try {
    const reading = await read();
    if (typeof reading === 'number') gauge.set(reading);
    else for (const { labels, value } of reading) gauge.set(labels, value);
  } catch {
    // A scrape must not fail because one service has not started yet.
  }
}
