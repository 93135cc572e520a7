/** Ages are told to this precision: one instant is remembered for the records of so long a time. */
const PRECISION_MS = 1_000;

/** When the records of one partition were written that were taken and are not done. */
export class RecordAges {
  /** Ascending: the first record of each stretch of time. */
  #written: { readonly offset: number; readonly at: number }[] = [];

  /** Records are taken in the order of their offsets. */
  take(offset: number, at: number): void {
    const last = this.#written.at(-1);
    if (last === undefined || at >= last.at + PRECISION_MS) this.#written.push({ offset, at });
  }

  /** When the record was written, or up to a second before; null: it was not taken. Later calls ask for later ones. */
  writtenAt(offset: number): number | null {
    const next = this.#written.findIndex((each) => each.offset > offset);
    const at = (next === -1 ? this.#written.length : next) - 1;
    if (at > 0) this.#written = this.#written.slice(at);
    return at < 0 ? null : this.#written[0]!.at;
  }

  /** Nothing of what was taken waits any more. */
  clear(): void {
    this.#written = [];
  }
}
