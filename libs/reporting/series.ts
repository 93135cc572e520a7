import type { EventSpec, Feed } from './event.ts';
import type { FactSpec } from './fact.ts';

/** The value of a label whose fact an event lacks. */
export const NONE = 'none';

/**
 * The values that are known before any event, of labels whose facts are names: by label, or by metric and label
 * (`crier_admin_calls_total outcome`) where labels of one name have several meanings.
 */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/**
 * Every set of label values with which the feed can be called, as far as all of them are listed; null: one of its
 * labels has values that are known only when they come.
 *
 * A counter that is born with its first event is born at 1, and Prometheus' `increase` sees no increase in it. So a
 * process makes these series when it starts, at 0.
 */
export function seriesOf(
  feed: Feed,
  { facts }: Pick<EventSpec, 'facts'>,
  names: KnownNames,
): readonly Readonly<Record<string, string>>[] | null {
  let sets: readonly Readonly<Record<string, string>>[] = [{}];
  for (const label of feed.metric.labels) {
    const values = valuesOf(feed, label, facts, names);
    if (values === null) return null;
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}

function valuesOf(
  { metric, labels, when }: Feed,
  label: string,
  facts: EventSpec['facts'],
  names: KnownNames,
): readonly string[] | null {
  const source = labels[label]!;
  if ('constant' in source) return [source.constant];
  if (when !== undefined && when[0] === source.fact) return [String(when[1])];
  return listed(facts[source.fact]!, names[`${metric.name} ${label}`] ?? names[label]);
}

function listed(spec: FactSpec, names: readonly string[] | undefined): readonly string[] | null {
  const values = spec.type === 'word' ? spec.words : names;
  if (values === undefined) return null;
  return spec.optional === true ? [...values, NONE] : values;
}
