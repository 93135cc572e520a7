import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type {
  Atom,
  ConditionalOutcome,
  ConditionalWrite,
  PartitionPage,
  Partitions,
  TableStore,
  TopicRecords,
} from '#ports/table-store.ts';
import type { ImpliedRows, Key, Row, RowWrite, SliceOptions, Table, TurnWrite } from '#ports/table.ts';
import {
  checkCompareAndSet,
  checkDrop,
  checkInsert,
  checkPartitions,
  checkRead,
  checkSlice,
  checkUpsert,
} from '#ports/table-rules.ts';
import { sameBody, TwoBodiesError } from '#ports/two-bodies.ts';
import { MemoryTables, type MemoryPartition, type StoredRow } from './memory-tables.ts';

export interface TableOperation {
  readonly name: 'read' | 'slice' | 'upsert' | 'insert' | 'compareAndSet' | 'dropPartition' | 'partitions';
  readonly table: Table;
  /** Empty of `partitions`. */
  readonly partition: Key;
}

/**
 * Where a simulation intercepts a store: what happens between two hooks is atomic. A hook that throws `PortError` makes
 * the call fail before it was applied (`before`) or after it (`after`).
 */
export interface TableHooks {
  before(operation: TableOperation): Promise<void>;
  after(operation: TableOperation): Promise<void>;
}

export interface MemoryTableStoreOptions {
  /** The time by which rows expire; without it they stay. */
  readonly clock?: Pick<Clock, 'now'>;
  readonly hooks?: TableHooks;
  /** Default `partition`, as Cassandra's. */
  readonly atom?: Atom;
  /** The tables of another store: this store is then the other one after a restart. */
  readonly tables?: MemoryTables;
  /** With the atom `store_and_log`: the log that is one with it. */
  readonly log?: AppendsWithin;
}

/** Appends in one atom with rows. */
export interface AppendsWithin {
  /**
   * Resolves once the records are durable. Rejects with `PortError` when they are taken back, and calls `undo` before
   * anybody hears of it.
   */
  appendWithin(appends: readonly TopicRecords[], undo: () => void): Promise<void>;
}

/**
 * A table store in memory that is as strict as Cassandra, and stricter where Cassandra would silently lose a write: two
 * bodies at one timestamp, or under one key of a `once` table, reject with `TwoBodiesError`. Rows of several partitions
 * are applied partition by partition, in the order of their first rows, with the hooks between.
 */
export function createMemoryTableStore(options: MemoryTableStoreOptions = {}): TableStore {
  return new MemoryTableStore(options);
}

class MemoryTableStore implements TableStore {
  readonly atom: Atom;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #hooks: TableHooks | undefined;
  readonly #tables: MemoryTables;
  readonly #log: AppendsWithin | undefined;
  #closed = false;

  constructor(options: MemoryTableStoreOptions) {
    this.#clock = options.clock ?? { now: () => 0 };
    this.#hooks = options.hooks;
    this.atom = options.atom ?? 'partition';
    this.#tables = options.tables ?? new MemoryTables();
    this.#log = options.log;
  }

  async read(table: Table, partition: Key, clustering: Key): Promise<Row | null> {
    checkRead(table, partition, clustering);
    return this.#run({ name: 'read', table, partition }, () => this.#visible(table, partition, clustering));
  }

  async slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]> {
    checkSlice(table, partition, options);
    return this.#run(
      { name: 'slice', table, partition },
      () => this.#tables.find(table, partition)?.slice(options, this.#clock.now()) ?? [],
    );
  }

  async upsert(table: Table, rows: readonly TurnWrite[]): Promise<void> {
    checkUpsert(table, rows);
    const prepared = rows.map((row) => ({ partition: row.partition, stored: this.#stored(row, row.timestamp) }));
    for (const group of byPartition(prepared)) {
      const applied = this.#run({ name: 'upsert', table, partition: group.partition }, () =>
        this.#store(this.#judgeTurn(table, group)),
      );
      if (this.#hooks !== undefined) await applied;
    }
  }

  async insert(table: Table, rows: readonly RowWrite[]): Promise<void> {
    checkInsert(table, rows);
    const sequence = this.#tables.nextSequence();
    const prepared = rows.map((row) => ({ partition: row.partition, stored: this.#stored(row, sequence) }));
    for (const group of byPartition(prepared)) {
      const applied = this.#run({ name: 'insert', table, partition: group.partition }, () =>
        this.#store(this.#judgeOnce(table, group, sequence)),
      );
      if (this.#hooks !== undefined) await applied;
    }
  }

  async compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome> {
    checkCompareAndSet(table, write, this.atom);
    const { partition, clustering, expected, next, rows = [], implied = [], appends = [] } = write;
    const prepared = [{ ...next, partition, clustering }, ...rows].map((row) => ({
      ...this.#stored(row, 0),
      version: next.version,
      token: next.token,
    }));
    const follow = implied.map((each) => this.#following(each));
    let appended: Promise<void> | null = null;
    const outcome = await this.#run({ name: 'compareAndSet', table, partition }, (): ConditionalOutcome => {
      const current = this.#visible(table, partition, clustering);
      if ((current?.version ?? null) !== expected) return { applied: false, current };
      // Every row is checked before any is stored, so a refused call leaves nothing behind.
      const head = { partition: this.#tables.take(table, partition), rows: prepared };
      const judged = [...follow.flatMap((judge) => judge()), head];
      const undos = appends.length === 0 ? [] : judged.map((each) => each.partition.undo(each.rows));
      for (const each of judged) this.#put(each.partition, each.rows);
      if (appends.length > 0)
        appended = this.#log!.appendWithin(appends, () => undos.toReversed().forEach((undo) => undo()));
      return { applied: true };
    });
    if (appended !== null) await appended;
    return outcome;
  }

  async dropPartition(table: Table, partition: Key): Promise<void> {
    checkDrop(table, partition);
    const sequence = this.#tables.nextSequence();
    return this.#run({ name: 'dropPartition', table, partition }, () => this.#tables.drop(table, partition, sequence));
  }

  async partitions(table: Table, { after, limit }: PartitionPage): Promise<Partitions> {
    checkPartitions(table, { after, limit });
    return this.#run({ name: 'partitions', table, partition: [] }, () => {
      const names = this.#tables.keys(table, this.#clock.now()).filter((name) => after === null || name > after);
      const page = names.slice(0, limit);
      return {
        keys: page.map((name) => JSON.parse(name) as Key),
        next: page.length < names.length ? page.at(-1)! : null,
      };
    });
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** Without hooks nothing is awaited: the call is applied before it returns its promise. */
  #run<T>(operation: TableOperation, apply: () => T): Promise<T> | T {
    this.#assertOpen();
    return this.#hooks === undefined ? apply() : this.#runHooked(this.#hooks, operation, apply);
  }

  async #runHooked<T>(hooks: TableHooks, operation: TableOperation, apply: () => T): Promise<T> {
    await hooks.before(operation);
    this.#assertOpen();
    const result = apply();
    await hooks.after(operation);
    return result;
  }

  /** The returned function checks the rows against those stored, and returns what is to be stored. */
  #following(implied: ImpliedRows): () => readonly JudgedRows[] {
    const { table } = implied;
    if ('upsert' in implied) {
      const groups = [
        ...byPartition(
          implied.upsert.map((row) => ({ partition: row.partition, stored: this.#stored(row, row.timestamp) })),
        ),
      ];
      return () => groups.map((group) => this.#judgeTurn(table, group));
    }
    const sequence = this.#tables.nextSequence();
    const groups = [
      ...byPartition(implied.insert.map((row) => ({ partition: row.partition, stored: this.#stored(row, sequence) }))),
    ];
    return () => groups.map((group) => this.#judgeOnce(table, group, sequence));
  }

  #judgeTurn(table: Table, group: PartitionGroup): JudgedRows {
    const partition = this.#tables.take(table, group.partition);
    const rows = resolved(group.rows, partition, (row, present) => {
      if (present.timestamp === row.timestamp) assertSameBody(table, group.partition, present, row);
      return row.timestamp > present.timestamp ? row : present;
    });
    return { partition, rows: [...rows] };
  }

  #judgeOnce(table: Table, group: PartitionGroup, sequence: number): JudgedRows {
    const isDropped = sequence < this.#tables.droppedAt(table, group.partition);
    const partition = this.#tables.take(table, group.partition);
    if (isDropped) return { partition, rows: [] };
    const now = this.#clock.now();
    const rows = resolved(group.rows, partition, (row, present) => {
      if (present.expiresAt <= now) return row;
      assertSameBody(table, group.partition, present, row);
      return { ...present, timestamp: Math.max(row.timestamp, present.timestamp) };
    });
    return { partition, rows: [...rows] };
  }

  #store({ partition, rows }: JudgedRows): void {
    this.#put(partition, rows);
  }

  #put(partition: MemoryPartition, rows: Iterable<StoredRow>): void {
    const now = this.#clock.now();
    for (const row of rows) partition.put(row, now);
  }

  #visible(table: Table, key: Key, clustering: Key): Row | null {
    const partition = this.#tables.find(table, key);
    const row = partition?.find(clustering) ?? null;
    return partition === null || row === null || row.expiresAt <= this.#clock.now() ? null : partition.present(row);
  }

  /** A copy, so that the caller's later changes to its arrays change nothing here. */
  #stored(row: Omit<RowWrite, 'partition'>, timestamp: number): StoredRow {
    const expiresAt = row.ttlSeconds === undefined ? Infinity : this.#clock.now() + row.ttlSeconds * 1000;
    return {
      clustering: [...row.clustering],
      body: Buffer.from(row.body),
      format: row.format,
      version: 0,
      token: '',
      timestamp,
      expiresAt,
    };
  }

  #assertOpen(): void {
    if (this.#closed) throw new PortError('unavailable', 'the store is closed');
  }
}

/** Rows that were found good for one partition. */
interface JudgedRows {
  readonly partition: MemoryPartition;
  readonly rows: readonly StoredRow[];
}

interface PartitionGroup {
  readonly partition: Key;
  readonly rows: StoredRow[];
}

function byPartition(
  rows: readonly { readonly partition: Key; readonly stored: StoredRow }[],
): Iterable<PartitionGroup> {
  const groups = new Map<string, PartitionGroup>();
  for (const { partition, stored } of rows) {
    const name = JSON.stringify(partition);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { partition, rows: [stored] });
    else group.rows.push(stored);
  }
  return groups.values();
}

/**
 * Decides what is stored for each row, checked against the stored rows and the earlier rows of the same call: all of it
 * before any is stored.
 */
function resolved(
  rows: readonly StoredRow[],
  partition: MemoryPartition,
  judge: (row: StoredRow, present: StoredRow) => StoredRow,
): Iterable<StoredRow> {
  const results = new Map<string, StoredRow>();
  for (const row of rows) {
    const name = JSON.stringify(row.clustering);
    const present = results.get(name) ?? partition.find(row.clustering);
    results.set(name, present === null ? row : judge(row, present));
  }
  return results.values();
}

function assertSameBody(table: Table, partition: Key, present: StoredRow, row: StoredRow): void {
  if (!sameBody(present, row)) throw new TwoBodiesError(table, { partition, clustering: row.clustering });
}
