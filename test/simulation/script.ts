/** A deed of a client, a blow of the nemesis, or a kind of fault that has a rate. */
export interface ScriptStep {
  /** The same at every repetition of the run, whatever else of it is left out. */
  readonly id: string;
  readonly what: string;
  readonly at: number;
}

/** What clients and nemesis do in a run; of a run that is repeated, perhaps some of it only. */
export class Script {
  /** Those that are done, in order. */
  readonly steps: ScriptStep[] = [];
  readonly #only: ReadonlySet<string> | null;
  readonly #now: () => number;

  /** `only`: the steps that are done; null: all. */
  constructor(only: readonly string[] | null, now: () => number) {
    this.#only = only === null ? null : new Set(only);
    this.#now = now;
  }

  /** Whether it is done. */
  step(id: string, what: string): boolean {
    if (this.#only !== null && !this.#only.has(id)) return false;
    this.steps.push({ id, what, at: this.#now() });
    return true;
  }
}
