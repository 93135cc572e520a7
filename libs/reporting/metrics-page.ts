import {
  BUILD_INFO,
  EVENT_SPECS,
  FAILURE_SPECS,
  FAILURES_TOTAL,
  FED_METRICS,
  GAUGE_SPECS,
  LOG_LINES_TOTAL,
} from './catalogue.ts';
import type { EventSpec, Feed } from './event.ts';
import type { FactSpec } from './fact.ts';
import type { MetricSpec } from './metric.ts';

const HEAD = `# Metrics and log events

This page is written by \`npm run docs\` from \`libs/reporting/catalogue.ts\`. [The runbook](runbook.md) says which metrics to watch, and
what to do when they move.

One call in the code reports an event: it feeds the metrics of the event and, at or above CRIER_LOG_LEVEL, writes one line of JSON to stderr with
\`level\`, \`time\`, \`pid\`, \`service\`, \`version\`, \`roles\`, \`instance\` (the machine or pod), \`event\` and the facts of the event. An event that repeats is written at most once a second; \`suppressed\` is the number of
lines that were left out before. The metrics count every event, written or not.

Ids and texts are in log lines only. A label has listed values, or values that are bounded by nature, such as topics and operations; beyond 100 values
of a label, further ones are \`other\`. A label is \`none\` where the event lacks the fact.

Counters, and histograms of few series, whose labels all have listed values are there from the start, at 0: \`increase()\` sees their first event too.
Topics count as listed.

## Metrics

Beside these, a process has the default metrics of Node and the process (\`process_*\`, \`nodejs_*\`).

| Metric | Type | Labels | Meaning | Fed by |
|---|---|---|---|---|
`;

const EVENTS_HEAD = `
## Events

| Event | Level | Facts | Meaning |
|---|---|---|---|
`;

const FAILURES_HEAD = `
## Failures

Events with an \`error\`: its name, message, kind and cause, and its stack at level error. Each adds one to \`crier_failures_total\`. Those at level
warn repeat, and their work is tried again without an operator.

| Event | Level | Facts | Meaning |
|---|---|---|---|
`;

/** docs/metrics.md, from the catalogue. */
export function metricsPage(): string {
  return [
    HEAD,
    ...FED_METRICS.map((metric) => metricRow(metric, feedersOf(metric))),
    metricRow(FAILURES_TOTAL, 'every failure'),
    metricRow(LOG_LINES_TOTAL, 'every line'),
    ...[...GAUGE_SPECS, BUILD_INFO].map((gauge) => metricRow(gauge, 'read at each scrape')),
    EVENTS_HEAD,
    ...[...EVENT_SPECS].map(eventRow),
    FAILURES_HEAD,
    ...[...FAILURE_SPECS].map(eventRow),
  ].join('');
}

function metricRow(metric: MetricSpec, fedBy: string): string {
  const buckets = metric.kind === 'histogram' ? `, buckets ${metric.bounds.join(' ')}` : '';
  const labels = metric.labels.map((label) => labelCell(metric, label)).join('; ');
  return `| ${metric.name} | ${metric.kind}${buckets} | ${labels} | ${metric.help} | ${fedBy} |\n`;
}

function feedersOf(metric: MetricSpec): string {
  return eventsFeeding(metric)
    .map(([event, { value, when }]) => {
      const fact = value === undefined ? '' : `, ${code(value)}`;
      const condition = when === undefined ? '' : ` where ${code(when[0])} is ${code(String(when[1]))}`;
      return `${code(event)}${fact}${condition}`;
    })
    .join('; ');
}

/** A label with the values that it can have, where they are listed. */
function labelCell(metric: MetricSpec, label: string): string {
  const values = eventsFeeding(metric).flatMap(([, { labels }, { facts }]) => {
    const source = labels[label]!;
    return 'constant' in source ? [source.constant] : wordsOf(facts[source.fact]!);
  });
  return values.length === 0 ? code(label) : `${code(label)}: ${[...new Set(values)].join(', ')}`;
}

function eventsFeeding(metric: MetricSpec): [event: string, feed: Feed, spec: EventSpec][] {
  return [...EVENT_SPECS].flatMap(([event, spec]) =>
    spec.feeds.filter((feed) => feed.metric === metric).map((feed): [string, Feed, EventSpec] => [event, feed, spec]),
  );
}

function eventRow([event, spec]: readonly [string, EventSpec]): string {
  const { level, repeats, facts, help, warnsWhen, isWritten, isAccess } = spec;
  if (!isWritten) return `| ${event} | no line | ${factCells(facts)} | ${help} |\n`;
  const warns =
    warnsWhen === null ? '' : `; warn, repeats, where ${code(warnsWhen[0])} is ${warnsWhen[1].join(' or ')}`;
  const access = isAccess ? '; info with CRIER_ACCESS_LOG' : '';
  return `| ${event} | ${level}${repeats ? ', repeats' : ''}${access}${warns} | ${factCells(facts)} | ${help} |\n`;
}

/** Durations of a batch are in no line. */
function factCells(facts: EventSpec['facts']): string {
  return Object.entries(facts)
    .filter(([, { type }]) => type !== 'durations')
    .map(([fact, spec]) => factCell(fact, spec))
    .join('; ');
}

function factCell(fact: string, spec: FactSpec): string {
  const words = wordsOf(spec);
  return `${code(fact)}${spec.optional === true ? '?' : ''}${words.length === 0 ? '' : `: ${words.join(', ')}`}`;
}

function wordsOf(spec: FactSpec): readonly string[] {
  return spec.type === 'word' ? spec.words : [];
}

function code(text: string): string {
  return `\`${text}\``;
}
