/** What a fact of a log line may be. Undefined: the line has no such fact. */
export type Fact = string | number | boolean | null | undefined | readonly string[] | readonly number[];
export type Facts = Readonly<Record<string, Fact>>;

/**
 * What kind of value a fact is. Only a `word` (listed values) and a `name` (values bounded by nature: a topic, an
 * operation, a consumer) can label a metric: the process keeps a series for each value for as long as it lives, and ids
 * and texts have no bound.
 */
export type FactSpec =
  | { readonly type: 'word'; readonly words: readonly string[]; readonly optional?: true }
  | { readonly type: 'name' | 'id' | 'text'; readonly optional?: true }
  | { readonly type: 'number' | 'milliseconds' | 'flag'; readonly optional?: true }
  /** Several ids, of a batch. */
  | { readonly type: 'ids'; readonly optional?: true }
  /** One duration in milliseconds for each of a batch. They go to a histogram, and to no line. */
  | { readonly type: 'durations'; readonly optional?: true };

export type FactSpecs = Readonly<Record<string, FactSpec>>;

export const name = { type: 'name' } as const;
export const id = { type: 'id' } as const;
export const text = { type: 'text' } as const;
export const number = { type: 'number' } as const;
export const milliseconds = { type: 'milliseconds' } as const;
export const flag = { type: 'flag' } as const;
export const ids = { type: 'ids' } as const;
export const durations = { type: 'durations' } as const;

export function word<const W extends readonly string[]>(...words: W): { readonly type: 'word'; readonly words: W } {
  return { type: 'word', words };
}

/** A fact that not every event of the kind has. */
export function optional<S extends FactSpec>(spec: S): S & { readonly optional: true } {
  return { ...spec, optional: true };
}

type ValueOf<S extends FactSpec> = S extends { readonly type: 'word'; readonly words: readonly (infer W)[] }
  ? W
  : S extends { readonly type: 'number' | 'milliseconds' }
    ? number
    : S extends { readonly type: 'flag' }
      ? boolean
      : S extends { readonly type: 'ids' }
        ? readonly string[]
        : S extends { readonly type: 'durations' }
          ? readonly number[]
          : string;

type OptionalFacts<F extends FactSpecs> = {
  [K in keyof F]: F[K] extends { readonly optional: true } ? K : never;
}[keyof F];

/** The facts that a call has to give, by their declaration. */
export type FactsOf<F extends FactSpecs> = F extends unknown
  ? { readonly [K in Exclude<keyof F, OptionalFacts<F>>]: ValueOf<F[K]> } & {
      readonly [K in OptionalFacts<F>]?: ValueOf<F[K]> | null | undefined;
    }
  : never;

/** The facts that are of one of these types. */
type FactNames<F extends FactSpecs, T extends FactSpec['type']> = {
  [K in keyof F]: F[K]['type'] extends T ? K : never;
}[keyof F] &
  string;

export type LabelFactOf<F extends FactSpecs> = FactNames<F, 'word' | 'name'>;
/** What a feed may depend on. */
export type ConditionFactOf<F extends FactSpecs> = FactNames<F, 'word' | 'name' | 'flag'>;
export type NumberFactOf<F extends FactSpecs> = FactNames<F, 'number' | 'milliseconds' | 'durations'>;
