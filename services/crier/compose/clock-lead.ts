/** How far this machine's clock is ahead of others, as it was last seen. */
export class ClockLead {
  readonly reference: 'cassandra' | 'network';
  #aheadMs: number | null = null;

  constructor(reference: ClockLead['reference']) {
    this.reference = reference;
  }

  /** Negative: behind. Null: none was seen yet, or since `forget`. */
  get aheadMs(): number | null {
    return this.#aheadMs;
  }

  note(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  forget(): void {
    this.#aheadMs = null;
  }
}
