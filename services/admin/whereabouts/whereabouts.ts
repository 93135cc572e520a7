/** What keeps a Variant where it is. `nothing`: it came to its end. */
export type WaitsFor =
  | 'nothing'
  | 'a person'
  | 'its time'
  | 'a hold'
  | 'its media'
  | 'a parked key'
  | 'its turn'
  | 'a publisher'
  | 'the Network'
  | 'its report';

export interface Whereabouts {
  readonly waitsFor: WaitsFor;
  /** Whole sentences: what it waits for and since when, who has it, what happens next. */
  readonly words: readonly string[];
}
