import { Counter, Histogram, type Registry } from 'prom-client';
import { EVENT_SPECS } from '#reporting/catalogue.ts';
import type { Feed } from '#reporting/event.ts';
import type { Fact, Facts } from '#reporting/fact.ts';
import type { MetricSpec } from '#reporting/metric.ts';
import { NONE, seriesOf, type KnownNames } from '#reporting/series.ts';

/** The process keeps a series while it lives: beyond so many unlisted values of a label, the rest are `other`. */
const MAX_VALUES_OF_LABEL = 100;
const OTHER = 'other';
/** A metric with more listed series gets them as their events come. A histogram has a line for each bucket. */
const MAX_BORN: Readonly<Record<Feed['metric']['kind'], number>> = { counter: 300, histogram: 60 };

type Labels = Readonly<Record<string, string>>;
type Add = (value: number) => void;

/** The counters and histograms of one process, by the name of their metric. */
export class Instruments {
  readonly #instruments = new Map<string, Instrument>();

  constructor(metrics: readonly Feed['metric'][], registry: Registry) {
    for (const metric of metrics) this.#instruments.set(metric.name, new Instrument(metric, registry));
  }

  of({ name }: MetricSpec): Instrument {
    return this.#instruments.get(name)!;
  }

  /** Makes the series that are known before any event, at 0. Those that are there stay as they are. */
  bear(names: KnownNames): void {
    const born = Map.groupBy(
      [...EVENT_SPECS.values()].flatMap((spec) =>
        spec.feeds.map((feed) => ({ metric: feed.metric, series: seriesOf(feed, spec, names) })),
      ),
      ({ metric }) => metric,
    );
    for (const [metric, feeds] of born) {
      const series = feeds.flatMap(({ series }) => series ?? []);
      if (series.length <= MAX_BORN[metric.kind]) this.of(metric).bear(series);
    }
  }
}

export class Instrument {
  readonly #metric: Feed['metric'];
  readonly #instrument: Counter<string> | Histogram<string>;
  /** Values of all labels of the series that are there. */
  readonly #there = new Set<string>();
  /** By label: values that are listed, or came while there was room. */
  readonly #values = new Map<string, { readonly known: Set<string>; room: number }>();

  constructor(metric: Feed['metric'], registry: Registry) {
    this.#metric = metric;
    const common = { ...named(metric), registers: [registry] };
    this.#instrument =
      metric.kind === 'counter' ? new Counter(common) : new Histogram({ ...common, buckets: [...metric.bounds] });
    for (const label of metric.labels) this.#values.set(label, { known: new Set(), room: MAX_VALUES_OF_LABEL });
  }

  bear(series: readonly Labels[]): void {
    for (const labels of series) {
      if (this.#there.has(this.#nameOf(labels))) continue;
      this.#there.add(this.#nameOf(labels));
      for (const [label, value] of Object.entries(labels)) this.#values.get(label)!.known.add(value);
      if (this.#instrument instanceof Counter) this.#instrument.inc(labels, 0);
      else this.#instrument.zero(labels);
    }
  }

  /** What adds to the series; `isWhole`: it is of these very labels, none of which became `other`. */
  series(given: Labels): { readonly add: Add; readonly isWhole: boolean } {
    const { labels } = this.#metric;
    const bounded = Object.fromEntries(labels.map((label) => [label, this.#bounded(label, given[label]!)]));
    this.#there.add(this.#nameOf(bounded));
    const isWhole = labels.every((label) => bounded[label] === given[label]);
    const instrument = this.#instrument;
    if (instrument instanceof Counter) return { add: (value) => instrument.inc(bounded, value), isWhole };
    const bound = labels.length === 0 ? instrument : instrument.labels(...labels.map((label) => bounded[label]!));
    return { add: (value) => bound.observe(value), isWhole };
  }

  #nameOf(values: Labels): string {
    return this.#metric.labels.map((label) => values[label]).join('\n');
  }

  #bounded(label: string, value: string): string {
    const values = this.#values.get(label)!;
    if (values.known.has(value)) return value;
    if (values.room === 0) return OTHER;
    values.room--;
    values.known.add(value);
    return value;
  }
}

/** One feed, ready to be called for each event: the series that it met are at hand. */
export class FeedLine {
  readonly #feed: Feed;
  readonly #instrument: Instrument;
  readonly #sources: readonly Feed['labels'][string][];
  readonly #series = new Map<string, Add>();

  constructor(feed: Feed, instrument: Instrument) {
    this.#feed = feed;
    this.#instrument = instrument;
    this.#sources = feed.metric.labels.map((label) => feed.labels[label]!);
  }

  apply(facts: Facts): void {
    const { when, value } = this.#feed;
    if (when !== undefined && facts[when[0]] !== when[1]) return;
    if (value === undefined) return this.#addFor(facts)(1);
    const fact = facts[value];
    if (typeof fact === 'number') return this.#observe(fact, facts);
    if (Array.isArray(fact)) for (const each of fact as readonly Fact[]) this.#observe(each, facts);
  }

  #observe(fact: Fact, facts: Facts): void {
    const value = typeof fact === 'number' ? valueOf(this.#feed, fact) : null;
    if (value !== null) this.#addFor(facts)(value);
  }

  #addFor(facts: Facts): Add {
    let key = '';
    for (const source of this.#sources) key += `${valueIn(source, facts)}\n`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const { labels } = this.#feed;
    const given = Object.fromEntries(Object.entries(labels).map(([label, from]) => [label, valueIn(from, facts)]));
    const { add, isWhole } = this.#instrument.series(given);
    // What became `other` has no bound and is not kept.
    if (isWhole) this.#series.set(key, add);
    return add;
  }
}

function valueIn(source: Feed['labels'][string], facts: Facts): string {
  return 'constant' in source ? source.constant : String(facts[source.fact] ?? NONE);
}

/** In base units; null: it is no number that can be counted. */
function valueOf({ metric, value }: Feed, fact: number): number | null {
  if (!Number.isFinite(fact)) return null;
  const inBaseUnits = value!.endsWith('Ms') ? fact / 1_000 : fact;
  // The clocks of machines differ: an event that seems to have come before it was due was on time.
  return Math.max(0, inBaseUnits) || (metric.kind === 'counter' ? null : 0);
}

export function named({ name, help, labels }: MetricSpec): { name: string; help: string; labelNames: string[] } {
  return { name, help, labelNames: [...labels] };
}
