export interface ValidationQueueOptions<Input, Verdict> {
  /** Never called again before its promise has settled. */
  readonly ask: (input: Input) => Promise<Verdict>;
  /** Told only what is true of the newest input. */
  readonly tell: (outcome: ValidationOutcome<Input, Verdict>) => void;
  /** How long nothing must be written before the server is asked. */
  readonly quietMs: number;
  readonly timers?: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>;
}

export type ValidationOutcome<Input, Verdict> =
  | { readonly kind: 'verdict'; readonly input: Input; readonly verdict: Verdict }
  | { readonly kind: 'failed'; readonly input: Input; readonly error: unknown };

/**
 * Asks the server about what somebody writes. Modes: *idle*; *quiet* (waits until nothing more is written); *asking*
 * (one request is under way). `submit` leads from idle or quiet to quiet, while asking it is remembered; the end of a
 * request leads to idle, or to quiet when something was submitted meanwhile: its answer is about what is no longer
 * written, and is dropped.
 */
export class ValidationQueue<Input, Verdict> {
  readonly #options: ValidationQueueOptions<Input, Verdict>;
  readonly #timers: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>;
  #newest: { readonly input: Input } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isAsking = false;

  constructor(options: ValidationQueueOptions<Input, Verdict>) {
    this.#options = options;
    this.#timers = options.timers ?? globalThis;
  }

  submit(input: Input): void {
    this.#newest = { input };
    if (!this.#isAsking) this.#waitForQuiet();
  }

  /** Nothing is reported any more. */
  cancel(): void {
    this.#newest = null;
    if (this.#timer !== null) this.#timers.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #waitForQuiet(): void {
    if (this.#timer !== null) this.#timers.clearTimeout(this.#timer);
    this.#timer = this.#timers.setTimeout(() => {
      this.#timer = null;
      void this.#askNow();
    }, this.#options.quietMs);
  }

  async #askNow(): Promise<void> {
    const asked = this.#newest;
    if (asked === null) return;
    const { input } = asked;
    this.#isAsking = true;
    const outcome = await this.#options.ask(input).then(
      (verdict) => ({ kind: 'verdict', input, verdict }) as const,
      (error: unknown) => ({ kind: 'failed', input, error }) as const,
    );
    this.#isAsking = false;
    if (this.#newest === asked) this.#options.tell(outcome);
    else if (this.#newest !== null) this.#waitForQuiet();
  }
}
