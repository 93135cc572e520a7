import type { AlertCases, RuleCase, Series } from './alert.ts';

/** A rule test's series in the namespace `crier`. */
export const series = (metric: string, labels: string, values: string): Series => [
  `${metric}{namespace="crier"${labels === '' ? '' : `, ${labels}`}}`,
  values,
];

/** Partitions that a process has of a consumer. */
export const ownedSeries = (consumer: string, values: string, pod = 'a'): Series =>
  series('crier_partitions_owned', `consumer="${consumer}", pod="${pod}"`, values);

export const seen = (at: string, ...all: readonly Series[]): RuleCase => ({ at, series: all });

/** What is seen at one time in the case that fires, and in the one that stays silent. */
export const either = (at: string, fires: readonly Series[], silent: readonly Series[]): AlertCases => ({
  fires: seen(at, ...fires),
  silent: seen(at, ...silent),
});

/** A gauge above and below what is borne. */
export const level = (metric: string, labels: string, high: string, low: string): AlertCases =>
  either('2h', [series(metric, labels, high)], [series(metric, labels, low)]);

/** A counter that must not move: it does a few minutes before `at`, and never. */
export const grown = (metric: string, labels: string, at = '30m'): AlertCases =>
  either(at, [series(metric, labels, '0x10 1x60')], [series(metric, labels, '5x200')]);
