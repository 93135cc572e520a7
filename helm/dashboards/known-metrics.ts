import { BUILD_INFO, FAILURES_TOTAL, FED_METRICS, GAUGE_SPECS, LOG_LINES_TOTAL } from '#reporting/catalogue.ts';
import { counter, gauge, histogram, type MetricSpec } from '#reporting/metric.ts';

/** What the catalogue declares: each has a panel, or a reason to have none. */
export const CATALOGUE_METRICS: readonly MetricSpec[] = [
  ...FED_METRICS,
  FAILURES_TOTAL,
  LOG_LINES_TOTAL,
  ...GAUGE_SPECS,
  BUILD_INFO,
];

/** Of the metrics of Node and the process that the library brings, those that panels show. */
export const NODE_METRICS: readonly MetricSpec[] = [
  gauge('nodejs_eventloop_lag_p99_seconds', 'By how much the event loop is late, of 100 turns the worst'),
  gauge('nodejs_heap_size_used_bytes', 'Bytes of the heap that are in use'),
  histogram('nodejs_gc_duration_seconds', 'Time that garbage collections took', [], ['kind']),
  gauge('process_resident_memory_bytes', 'Bytes of memory of the process'),
  counter('process_cpu_seconds_total', 'Seconds of processor time'),
  gauge('process_start_time_seconds', 'When the process started, in Unix seconds'),
];

/** Labels that Prometheus gives to every series of a pod. */
const TARGET_LABELS: readonly string[] = ['namespace', 'pod'];

const BY_NAME = new Map([...CATALOGUE_METRICS, ...NODE_METRICS].map((metric) => [metric.name, metric]));

/** Throws for a name that no process has, a label that the metric lacks, and a kind that the query can not be of. */
export function metricNamed(name: string, kinds: readonly MetricSpec['kind'][], labels: readonly string[]): MetricSpec {
  const metric = BY_NAME.get(name);
  if (metric === undefined) throw new Error(`${name} is in no catalogue`);
  if (!kinds.includes(metric.kind)) throw new Error(`${name} is a ${metric.kind}, not a ${kinds.join(' or ')}`);
  const unknown = labels.filter((label) => !metric.labels.includes(label) && !TARGET_LABELS.includes(label));
  if (unknown.length > 0) throw new Error(`${name} has no label ${unknown.join(', ')}`);
  return metric;
}
