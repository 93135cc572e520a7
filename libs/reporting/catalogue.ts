import { APP_EVENTS, APP_FAILURES } from './catalogue/apps.ts';
import { BILLING_EVENTS, BILLING_FAILURES } from './catalogue/billing.ts';
import { CANARY_EVENTS, CANARY_FAILURES, CANARY_GAUGES } from './catalogue/canary.ts';
import { CONSUMER_EVENTS, CONSUMER_FAILURES, CONSUMER_GAUGES } from './catalogue/consumers.ts';
import { ENGINE_EVENTS, ENGINE_FAILURES, ENGINE_GAUGES } from './catalogue/engines.ts';
import { MCP_EVENTS } from './catalogue/mcp.ts';
import { MEDIA_EVENTS, MEDIA_GAUGES } from './catalogue/media.ts';
import { PAGE_EVENTS, PAGE_FAILURES } from './catalogue/pages.ts';
import { PEOPLE_EVENTS, PEOPLE_FAILURES } from './catalogue/people.ts';
import { PROCESS_EVENTS, PROCESS_FAILURES, PROCESS_GAUGES } from './catalogue/processes.ts';
import { PUBLISHING_EVENTS, PUBLISHING_FAILURES, PUBLISHING_GAUGES } from './catalogue/publishing.ts';
import { REQUEST_EVENTS, REQUEST_FAILURES, REQUEST_GAUGES } from './catalogue/requests.ts';
import { TIMER_EVENTS, TIMER_FAILURES, TIMER_GAUGES } from './catalogue/timers.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FAILURES, WEBHOOK_GAUGES } from './catalogue/webhooks.ts';
import { WORKSPACE_EVENTS, WORKSPACE_FAILURES, WORKSPACE_GAUGES } from './catalogue/workspaces.ts';
import type { EventSpec } from './event.ts';
import { counter, gauge, type CounterSpec, type GaugeSpec, type HistogramSpec } from './metric.ts';

/**
 * Everything that Crier says of itself: each event with its facts, level and the metrics that it feeds. Types of calls,
 * levels of lines, metrics and docs/metrics.md are made from it. Names are public: alerts and searches use them.
 */
export const EVENTS = {
  ...REQUEST_EVENTS,
  ...PAGE_EVENTS,
  ...PEOPLE_EVENTS,
  ...APP_EVENTS,
  ...BILLING_EVENTS,
  ...MCP_EVENTS,
  ...WORKSPACE_EVENTS,
  ...TIMER_EVENTS,
  ...PUBLISHING_EVENTS,
  ...WEBHOOK_EVENTS,
  ...MEDIA_EVENTS,
  ...CONSUMER_EVENTS,
  ...ENGINE_EVENTS,
  ...PROCESS_EVENTS,
  ...CANARY_EVENTS,
};

/** Events that come with an error. Each adds one to `FAILURES_TOTAL`. */
export const FAILURES = {
  ...REQUEST_FAILURES,
  ...PAGE_FAILURES,
  ...PEOPLE_FAILURES,
  ...APP_FAILURES,
  ...BILLING_FAILURES,
  ...WORKSPACE_FAILURES,
  ...TIMER_FAILURES,
  ...PUBLISHING_FAILURES,
  ...WEBHOOK_FAILURES,
  ...CONSUMER_FAILURES,
  ...ENGINE_FAILURES,
  ...PROCESS_FAILURES,
  ...CANARY_FAILURES,
};

export const GAUGES = {
  ...REQUEST_GAUGES,
  ...WORKSPACE_GAUGES,
  ...TIMER_GAUGES,
  ...PUBLISHING_GAUGES,
  ...CONSUMER_GAUGES,
  ...WEBHOOK_GAUGES,
  ...ENGINE_GAUGES,
  ...MEDIA_GAUGES,
  ...CANARY_GAUGES,
  ...PROCESS_GAUGES,
};

export const FAILURES_TOTAL = counter(
  'crier_failures_total',
  'Errors that were logged, by event; failures of an engine after which the work is retried are among them',
  ['event'],
);

export const LOG_LINES_TOTAL = counter('crier_log_lines_total', 'Lines that were written to the log, by level', [
  'level',
]);

export const BUILD_INFO = gauge('crier_build_info', 'Always 1; the labels say what runs', [
  'version',
  'engine',
  'node',
]);

export type EventName = keyof typeof EVENTS;
export type FailureName = keyof typeof FAILURES;
export type GaugeName = keyof typeof GAUGES;

/** By name, for what only knows the name at run time. */
export const EVENT_SPECS: ReadonlyMap<string, EventSpec> = new Map<string, EventSpec>(Object.entries(EVENTS));
export const FAILURE_SPECS: ReadonlyMap<string, EventSpec> = new Map<string, EventSpec>(Object.entries(FAILURES));

/** The metrics that events feed, each once. */
export const FED_METRICS: readonly (CounterSpec | HistogramSpec)[] = [
  ...new Set([...EVENT_SPECS.values()].flatMap(({ feeds }) => feeds.map(({ metric }) => metric))),
];
export const GAUGE_SPECS: readonly GaugeSpec[] = Object.values(GAUGES);
