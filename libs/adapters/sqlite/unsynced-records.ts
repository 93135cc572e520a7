import type { StoredRecord } from '#ports/log.ts';
import type { PartitionSource } from './log-records.ts';

export interface AppendedRecord {
  readonly source: PartitionSource;
  readonly record: StoredRecord;
}

/**
 * Records that were inserted and are not durable yet, by partition in the order of the log. One leaves when it is
 * stored (`drop`), all leave when a commit fails (`takeAll`): what waits behind that commit fails with it.
 */
export class UnsyncedRecords {
  readonly #bySource = new Map<PartitionSource, StoredRecord[]>();
  /** Partitions with records that were not handed out by `takeNew`. */
  readonly #new = new Set<PartitionSource>();
  readonly #waiting = new Map<PartitionSource, { readonly offset: number; readonly resolve: () => void }[]>();

  push(appended: readonly AppendedRecord[]): void {
    for (const { source, record } of appended) {
      const records = this.#bySource.get(source);
      if (records === undefined) this.#bySource.set(source, [record]);
      else records.push(record);
      this.#new.add(source);
    }
  }

  read(source: PartitionSource, from: number, limit: number): readonly StoredRecord[] {
    const records = this.#bySource.get(source);
    return records === undefined ? [] : records.filter(({ offset }) => offset >= from).slice(0, limit);
  }

  /** Partitions that have got records since the last call. */
  takeNew(): readonly PartitionSource[] {
    const sources = [...this.#new];
    this.#new.clear();
    return sources;
  }

  /** The record is durable, or will never be. */
  drop(source: PartitionSource, record: StoredRecord): void {
    const records = this.#bySource.get(source);
    const at = records?.indexOf(record) ?? -1;
    if (records === undefined || at === -1) return;
    records.splice(at, 1);
    if (records.length === 0) this.#bySource.delete(source);
    this.#settle(source);
  }

  /** Empties it; the first record of each partition that had some. */
  takeAll(): readonly (readonly [PartitionSource, StoredRecord])[] {
    const firsts = [...this.#bySource].map(([source, records]) => [source, records[0]!] as const);
    this.#bySource.clear();
    this.#new.clear();
    for (const source of [...this.#waiting.keys()]) this.#settle(source);
    return firsts;
  }

  /** Resolves once no record up to and including `offset` is in here; null: none is. */
  settling(source: PartitionSource, offset: number): Promise<void> | null {
    if (this.#isSettled(source, offset)) return null;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(source);
      if (waiting === undefined) this.#waiting.set(source, [{ offset, resolve }]);
      else waiting.push({ offset, resolve });
    });
  }

  #settle(source: PartitionSource): void {
    const waiting = this.#waiting.get(source);
    if (waiting === undefined) return;
    const left = waiting.filter(({ offset }) => !this.#isSettled(source, offset));
    if (left.length === 0) this.#waiting.delete(source);
    else this.#waiting.set(source, left);
    for (const { offset, resolve } of waiting) if (this.#isSettled(source, offset)) resolve();
  }

  #isSettled(source: PartitionSource, offset: number): boolean {
    return (this.#bySource.get(source)?.[0]?.offset ?? Infinity) > offset;
  }
}
