import type { Key, Row, SliceOptions, Table } from '#ports/table.ts';
import { clusteringOrder, type CompareKeys } from './clustering-order.ts';

export interface StoredRow {
  readonly clustering: Key;
  readonly body: Buffer;
  readonly format: number;
  readonly version: number;
  readonly token: string;
  /** In turn tables the writer's timestamp; in once tables the sequence number of the call. */
  readonly timestamp: number;
  /** Milliseconds since the epoch; Infinity: never. */
  readonly expiresAt: number;
}

/**
 * Expired rows are kept this long: an older write that arrives late must still lose to them, as it does in Cassandra.
 */
const EXPIRED_KEPT_MS = 3_600_000;

/** One partition: rows in clustering order in an array, found by binary search. */
export class MemoryPartition {
  readonly #key: Key;
  readonly #compare: CompareKeys;
  #rows: StoredRow[] = [];
  #purgeAt = Infinity;

  constructor(key: Key, compare: CompareKeys) {
    this.#key = [...key];
    this.#compare = compare;
  }

  /** Also finds an expired row while it is kept. */
  find(clustering: Key): StoredRow | null {
    const row = this.#rows[this.#firstNotBefore(clustering)];
    return row !== undefined && this.#compare(row.clustering, clustering) === 0 ? row : null;
  }

  /**
   * Puts back what these rows replace, where they were not replaced again by then. To be called before they are put.
   */
  undo(rows: readonly StoredRow[]): () => void {
    const before = rows.map((row) => this.find(row.clustering));
    return () => {
      rows.forEach((row, index) => {
        const at = this.#rows.indexOf(row);
        const former = before[index] ?? null;
        if (at !== -1) this.#rows.splice(at, 1, ...(former === null ? [] : [former]));
      });
    };
  }

  put(row: StoredRow, now: number): void {
    if (now >= this.#purgeAt) this.#purge(now);
    const index = this.#firstNotBefore(row.clustering);
    const present = this.#rows[index];
    const replaced = present !== undefined && this.#compare(present.clustering, row.clustering) === 0 ? 1 : 0;
    if (replaced === 0 && index === this.#rows.length) this.#rows.push(row);
    else this.#rows.splice(index, replaced, row);
    this.#purgeAt = Math.min(this.#purgeAt, row.expiresAt + EXPIRED_KEPT_MS);
  }

  slice({ prefix = [], from, after, until, limit }: SliceOptions, now: number): readonly Row[] {
    let index = from ? this.#firstNotBefore([...prefix, ...from]) : this.#firstNotBefore(prefix);
    if (after) index = this.#firstAfter([...prefix, ...after]);
    const end = until ? this.#firstNotBefore([...prefix, ...until]) : this.#firstAfter(prefix);
    const found: Row[] = [];
    for (; index < end && found.length < limit; index++) {
      const row = this.#rows[index]!;
      if (row.expiresAt > now) found.push(this.present(row));
    }
    return found;
  }

  /** A copy, so that the caller's changes to it change nothing here. */
  present(row: StoredRow): Row {
    const { clustering, body, format, version, token } = row;
    return {
      partition: [...this.#key],
      clustering: [...clustering],
      body: new Uint8Array(body),
      format,
      version,
      token,
    };
  }

  /** Puts the rows back as they are now. */
  backup(): () => void {
    const rows = [...this.#rows];
    return () => {
      this.#rows = [...rows];
    };
  }

  dropOlderThan(timestamp: number): void {
    this.#rows = this.#rows.filter((row) => row.timestamp > timestamp);
  }

  #purge(now: number): void {
    this.#rows = this.#rows.filter((row) => row.expiresAt + EXPIRED_KEPT_MS > now);
    this.#purgeAt = this.#rows.reduce((earliest, row) => Math.min(earliest, row.expiresAt + EXPIRED_KEPT_MS), Infinity);
  }

  #firstNotBefore(bound: Key): number {
    return this.#search((row) => this.#compare(row.clustering, bound) >= 0);
  }

  #firstAfter(bound: Key): number {
    return this.#search((row) => this.#compare(row.clustering, bound) > 0);
  }

  #search(isPast: (row: StoredRow) => boolean): number {
    let low = 0;
    let high = this.#rows.length;
    // Rows mostly arrive in clustering order.
    if (high > 0 && !isPast(this.#rows[high - 1]!)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isPast(this.#rows[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/**
 * What a memory store holds, separate from the store: a second store over the same tables is the first one after a
 * restart.
 */
export class MemoryTables {
  readonly #partitions = new Map<string, Map<string, MemoryPartition>>();
  readonly #orders = new Map<string, CompareKeys>();
  readonly #dropped = new Map<string, number>();
  #sequence = 0;

  /** Orders inserts and drops by the time of their call, not by the time they are applied. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  find(table: Table, key: Key): MemoryPartition | null {
    return this.#partitions.get(table.name)?.get(JSON.stringify(key)) ?? null;
  }

  take(table: Table, key: Key): MemoryPartition {
    const partitions = this.#partitions.get(table.name) ?? new Map<string, MemoryPartition>();
    this.#partitions.set(table.name, partitions);
    const name = JSON.stringify(key);
    const partition = partitions.get(name) ?? new MemoryPartition(key, this.#order(table));
    partitions.set(name, partition);
    return partition;
  }

  /** Keys of partitions with a row that has not expired, in the order of their JSON. */
  keys(table: Table, now: number): readonly string[] {
    const partitions = [...(this.#partitions.get(table.name) ?? [])];
    return partitions
      .filter(([, partition]) => partition.slice({ limit: 1 }, now).length > 0)
      .map(([name]) => name)
      .toSorted();
  }

  drop(table: Table, key: Key, sequence: number): void {
    const name = JSON.stringify(key);
    this.#dropped.set(`${table.name} ${name}`, Math.max(sequence, this.droppedAt(table, key)));
    this.find(table, key)?.dropOlderThan(sequence);
  }

  /**
   * The sequence of the partition's newest drop, 0 for none: rows inserted before it stay deleted, however late the
   * insert is applied.
   */
  droppedAt(table: Table, key: Key): number {
    return this.#dropped.get(`${table.name} ${JSON.stringify(key)}`) ?? 0;
  }

  /** Puts everything back as it is now; may be called more than once. */
  backup(): () => void {
    const partitions = [...this.#partitions].map(
      ([table, ofTable]) =>
        [table, [...ofTable].map(([key, partition]) => ({ key, partition, putBack: partition.backup() }))] as const,
    );
    const dropped = [...this.#dropped];
    return () => {
      this.#partitions.clear();
      for (const [table, ofTable] of partitions) {
        for (const { putBack } of ofTable) putBack();
        this.#partitions.set(table, new Map(ofTable.map(({ key, partition }) => [key, partition])));
      }
      this.#dropped.clear();
      for (const [name, sequence] of dropped) this.#dropped.set(name, sequence);
    };
  }

  #order(table: Table): CompareKeys {
    const order = this.#orders.get(table.name) ?? clusteringOrder(table);
    this.#orders.set(table.name, order);
    return order;
  }
}
