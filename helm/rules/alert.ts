/** `page` wants somebody now, `ticket` within days: the words of docs/runbook.md. */
export type Severity = 'page' | 'ticket';

/** One series of a rule test: its name with labels, and its values one `step` apart, as promtool writes them. */
export type Series = readonly [series: string, values: string];

/** A case of a rule test: what Prometheus has seen, and when it is asked. */
export interface RuleCase {
  readonly series: readonly Series[];
  /** As promtool writes a time: `10m`. */
  readonly at: string;
  /** A minute when left out; cases of days take larger steps, or they would take minutes. */
  readonly step?: '10m';
}

/** The two cases of an alert that a test runs. */
export interface AlertCases {
  readonly fires: RuleCase;
  readonly silent: RuleCase;
}

/** An alert. Metrics are summed by namespace: an installation has one of its own. */
export interface Alert extends AlertCases {
  readonly name: string;
  readonly severity: Severity;
  readonly expr: string;
  readonly for: string;
  readonly summary: string;
  /** The heading of docs/runbook.md. */
  readonly heading: string;
}

/** A name for a query that several alerts and dashboards share. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Alerts of one severity. */
export function alertsOf(severity: Severity, alerts: readonly Omit<Alert, 'severity'>[]): readonly Alert[] {
  return alerts.map((alert) => ({ ...alert, severity }));
}
