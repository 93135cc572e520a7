import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type {
  ConditionalOutcome,
  ConditionalWrite,
  PartitionPage,
  Partitions,
  ReadOptions,
  TableStore,
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
import { checkpoint } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { storageFailure } from './storage-failure.ts';
import { TableStatements, type RowStamp } from './table-statements.ts';

export interface SqliteTableStoreOptions {
  /** From `openDatabase`. The caller owns it and closes it after the store. */
  readonly database: DatabaseSync;
  /** The group commit of the same database; all that share it share the fsync. */
  readonly commits: GroupCommit;
  /** The time by which rows expire. */
  readonly clock: Pick<Clock, 'now'>;
  /**
   * Called once for each row that was written with a second body, when the call is committed. The first body stays:
   * readers may have seen it, and the row's next turn replaces it. Without this, the call rejects with `TwoBodiesError`
   * and changes nothing, so that a test notices it.
   */
  readonly onTwoBodies?: (error: TwoBodiesError) => void;
}

const UNSTAMPED: RowStamp = { version: 0, token: '', timestamp: 0 };

/**
 * A table store in one SQLite file, durable when its promises resolve. Tables are created when first used. A call is
 * one work of a group commit, so it is atomic over partitions too; only `compareAndSet` promises that (`atom`), since
 * Cassandra can not do it for the others. As strict as the memory store about two bodies at one timestamp, or under one
 * `once` key, unless `onTwoBodies` is given.
 */
export function createSqliteTableStore(options: SqliteTableStoreOptions): TableStore {
  return new SqliteTableStore(options);
}

class SqliteTableStore implements TableStore {
  readonly atom = 'store';
  readonly #database: DatabaseSync;
  readonly #commits: GroupCommit;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onTwoBodies: ((error: TwoBodiesError) => void) | undefined;
  readonly #tables = new Map<string, TableStatements>();
  #closed = false;

  constructor(options: SqliteTableStoreOptions) {
    this.#database = options.database;
    this.#commits = options.commits;
    this.#clock = options.clock;
    this.#onTwoBodies = options.onTwoBodies;
  }

  async read(table: Table, partition: Key, clustering: Key, options: ReadOptions = {}): Promise<Row | null> {
    checkRead(table, partition, clustering);
    const statements = this.#use(table);
    const read = () => statements.read(partition, clustering, this.#clock.now());
    // Queued behind the writes in flight. Acknowledged writes are committed and need no waiting.
    return options.serial === true ? this.#commits.enqueue(read) : this.#guard(read);
  }

  async slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]> {
    checkSlice(table, partition, options);
    const statements = this.#use(table);
    return this.#guard(() => statements.slice(partition, options, this.#clock.now()));
  }

  async upsert(table: Table, rows: readonly TurnWrite[]): Promise<void> {
    checkUpsert(table, rows);
    const statements = this.#use(table);
    const own = rows.map(ownCopy);
    await this.#write((refuse) => upsertAll({ table, statements, now: this.#clock.now(), refuse }, own));
  }

  async insert(table: Table, rows: readonly RowWrite[]): Promise<void> {
    checkInsert(table, rows);
    const statements = this.#use(table);
    const own = rows.map(ownCopy);
    await this.#write((refuse) => insertAll({ table, statements, now: this.#clock.now(), refuse }, own));
  }

  async compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome> {
    checkCompareAndSet(table, write, this.atom);
    const statements = this.#use(table);
    const { partition, clustering, expected, next, rows = [], implied = [] } = write;
    const own = [{ ...next, partition, clustering }, ...rows].map(ownCopy);
    const stamp: RowStamp = { version: next.version, token: next.token, timestamp: 0 };
    const follow = implied.map((each) => this.#following(each));
    return this.#write((refuse): ConditionalOutcome => {
      const now = this.#clock.now();
      const current = statements.read(partition, clustering, now);
      if ((current?.version ?? null) !== expected) return { applied: false, current };
      for (const row of own) statements.put(row, stamp, 'always', now);
      for (const write of follow) write(now, refuse);
      return { applied: true };
    });
  }

  async dropPartition(table: Table, partition: Key): Promise<void> {
    checkDrop(table, partition);
    const statements = this.#use(table);
    await this.#commits.enqueue(() => statements.dropPartition(partition));
  }

  async partitions(table: Table, { after, limit }: PartitionPage): Promise<Partitions> {
    checkPartitions(table, { after, limit });
    const statements = this.#use(table);
    const from = after === null ? null : (JSON.parse(after) as Key);
    const keys = this.#guard(() => statements.partitions(from, limit, this.#clock.now()));
    return { keys, next: keys.length < limit ? null : JSON.stringify(keys.at(-1)) };
  }

  /** Writes: a full or read-only disk must not look healthy. */
  async check(): Promise<void> {
    this.#assertOpen();
    await this.#commits.enqueue(() => this.#commits.touch());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Queued behind all works of this store. A refusal means that the group commit is closed, and so has answered them.
    await this.#commits.enqueue(() => undefined).catch(() => undefined);
    if (this.#database.isOpen) checkpoint(this.#database);
  }

  /** One work of a group commit. It may run twice, so its findings are reported only when it is committed. */
  async #write<T>(work: (refuse: Refuse) => T): Promise<T> {
    const met: TwoBodiesError[] = [];
    const outcome = await this.#commits.enqueue(() => {
      met.length = 0;
      return work((error) => {
        if (this.#onTwoBodies === undefined) throw error;
        met.push(error);
      });
    });
    for (const error of met) this.#onTwoBodies?.(error);
    return outcome;
  }

  #following(implied: ImpliedRows): (now: number, refuse: Refuse) => void {
    const { table } = implied;
    const statements = this.#use(table);
    if ('upsert' in implied) {
      const own = implied.upsert.map(ownCopy);
      return (now, refuse) => upsertAll({ table, statements, now, refuse }, own);
    }
    const own = implied.insert.map(ownCopy);
    return (now, refuse) => insertAll({ table, statements, now, refuse }, own);
  }

  #use(table: Table): TableStatements {
    this.#assertOpen();
    let statements = this.#tables.get(table.name);
    if (statements === undefined) {
      statements = this.#guard(() => new TableStatements(this.#database, table));
      this.#tables.set(table.name, statements);
    }
    return statements;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storageFailure(error) ?? error;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new PortError('unavailable', 'the store is closed');
  }
}

/**
 * The work runs later in the event loop's turn, and until then the caller may reuse its buffer. Copied into Node's
 * buffer pool, because an ArrayBuffer for each is expensive.
 */
function ownCopy<T extends RowWrite>(row: T): T {
  return { ...row, body: Buffer.from(row.body) };
}

/** Throws, or remembers the second body of a row. */
type Refuse = (error: TwoBodiesError) => void;

/** What a write of rows goes to. */
interface Place {
  readonly table: Table;
  readonly statements: TableStatements;
  readonly now: number;
  readonly refuse: Refuse;
}

function upsertAll({ table, statements, now, refuse }: Place, rows: readonly TurnWrite[]): void {
  for (const row of rows) {
    const present = statements.put(row, { ...UNSTAMPED, timestamp: row.timestamp }, 'newer', now);
    if (present?.timestamp === row.timestamp && !sameBody(present, row)) refuse(new TwoBodiesError(table, row));
  }
}

function insertAll({ table, statements, now, refuse }: Place, rows: readonly RowWrite[]): void {
  for (const row of rows) {
    const present = statements.put(row, UNSTAMPED, 'absent', now);
    if (present !== null && !sameBody(present, row)) refuse(new TwoBodiesError(table, row));
  }
}
