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

/**
 * An alert with the two cases that a test runs. Metrics are summed by namespace: an installation has one of its own.
 */
export interface Alert {
  readonly name: string;
  readonly severity: Severity;
  readonly expr: string;
  readonly for: string;
  readonly summary: string;
  /** The heading of docs/runbook.md. */
  readonly heading: string;
  readonly fires: RuleCase;
  readonly silent: RuleCase;
}

/** A name for a query that several alerts and dashboards share. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** A rule test's series in the namespace `crier`. */
export const series = (metric: string, labels: string, values: string): Series => [
  `${metric}{namespace="crier"${labels === '' ? '' : `, ${labels}`}}`,
  values,
];

export const seen = (at: string, ...all: readonly Series[]): RuleCase => ({ at, series: all });
