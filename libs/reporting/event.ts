import type { ConditionFactOf, Fact, FactSpecs, LabelFactOf, NumberFactOf } from './fact.ts';
import type { CounterSpec, HistogramSpec } from './metric.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** How an event feeds a metric. The type parameters say which facts of the event it reads. */
export interface Feed<
  LabelFact extends string = string,
  NumberFact extends string = string,
  Condition extends string = string,
> {
  readonly metric: CounterSpec | HistogramSpec;
  readonly labels: Readonly<Record<string, LabelSource<LabelFact>>>;
  /**
   * The fact to count or observe; a counter without one counts events. Milliseconds become seconds. Each of several
   * durations is observed.
   */
  readonly value?: NumberFact;
  /** Only events of which a fact is this. */
  readonly when?: readonly [fact: Condition, is: Fact];
}

export type LabelSource<LabelFact extends string = string> =
  { readonly fact: LabelFact } | { readonly constant: string };

export interface EventSpec<F extends FactSpecs = FactSpecs> {
  readonly level: Level;
  /** Written at most once a second, with the number of lines left out: an outage causes it again and again. */
  readonly repeats: boolean;
  readonly help: string;
  readonly facts: F;
  readonly feeds: readonly Feed[];
  /** False: it feeds metrics only, because it happens many times for each event that is worth a line. */
  readonly isWritten: boolean;
  /** An answer to a request from outside: at `info` where the access log is on. */
  readonly isAccess: boolean;
  /** At `warn`, as an event that repeats, where a fact is one of these. */
  readonly warnsWhen: readonly [fact: string, is: readonly Fact[]] | null;
}

export interface EventOptions<F extends FactSpecs> {
  readonly level: Level;
  readonly repeats?: boolean;
  readonly isWritten?: boolean;
  readonly isAccess?: boolean;
  readonly help: string;
  readonly facts?: F;
  readonly feeds?: readonly Feed<LabelFactOf<NoInfer<F>>, NumberFactOf<NoInfer<F>>, ConditionFactOf<NoInfer<F>>>[];
  readonly warnsWhen?: readonly [fact: ConditionFactOf<NoInfer<F>>, is: readonly Fact[]];
}

/** Something that happened, as `Reporter.report` takes it. */
export function event<const F extends FactSpecs = Record<never, never>>(options: EventOptions<F>): EventSpec<F> {
  const { level, repeats = false, help, facts = {} as F, feeds = [], warnsWhen = null } = options;
  const { isWritten = true, isAccess = false } = options;
  return { level, repeats, help, facts, feeds, warnsWhen, isWritten, isAccess };
}

/** An event that an outage or a flood causes again and again. */
export function repeatedWarning<const F extends FactSpecs = Record<never, never>>(
  options: Omit<EventOptions<F>, 'level' | 'repeats'>,
): EventSpec<F> {
  return event<F>({ ...options, level: 'warn', repeats: true });
}

/** An error, as `Reporter.failure` takes it: unexpected, logged with its stack. */
export function failure<const F extends FactSpecs = Record<never, never>>(help: string, facts: F = {} as F) {
  return event({ level: 'error', help, facts });
}

/** A failure of an engine or a tool after which the same work is tried again by itself: nothing is lost. */
export function retried<const F extends FactSpecs = Record<never, never>>(help: string, facts: F = {} as F) {
  return event({ level: 'warn', repeats: true, help, facts });
}

type CamelCase<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;

interface FeedOptions<C extends string, W extends string> {
  /** The labels that are the same for every event of the kind; each other label is the fact of its name. */
  readonly constants?: Readonly<Record<C, string>>;
  readonly when?: readonly [fact: W, is: Fact];
}

/** Adds one to the counter, or the fact `value`. A label `status_class` is taken from the fact `statusClass`. */
export function counts<
  L extends string,
  C extends L = never,
  const V extends string = never,
  const W extends string = never,
>(
  metric: CounterSpec<L>,
  options: FeedOptions<C, W> & { readonly value?: V } = {},
): Feed<CamelCase<Exclude<L, C>>, V, W> {
  return { ...feedOf(metric, options), ...(options.value !== undefined && { value: options.value }) };
}

/** Observes the fact `value` in the histogram. */
export function observes<L extends string, const V extends string, C extends L = never, const W extends string = never>(
  metric: HistogramSpec<L>,
  value: V,
  options: FeedOptions<C, W> = {},
): Feed<CamelCase<Exclude<L, C>>, V, W> {
  return { ...feedOf(metric, options), value };
}

function feedOf<L extends string, C extends L, W extends string>(
  metric: CounterSpec<L> | HistogramSpec<L>,
  { constants, when }: FeedOptions<C, W>,
): Feed<CamelCase<Exclude<L, C>>, never, W> {
  const given: Readonly<Record<string, string>> = constants ?? {};
  const labels = Object.fromEntries(
    metric.labels.map((label) => {
      const constant = given[label];
      return [label, constant === undefined ? { fact: camelCase(label) } : { constant }];
    }),
  ) as Record<string, LabelSource<CamelCase<Exclude<L, C>>>>;
  return { metric, labels, ...(when !== undefined && { when }) };
}

function camelCase(label: string): string {
  return label.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
