import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type {
  Atom,
  ConditionalOutcome,
  ConditionalWrite,
  PartitionPage,
  Partitions,
  ReadOptions,
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
import { checkpoint } from './database.ts';
import type { GroupCommit, WorkOptions } from './group-commit.ts';
import type { PlacedRecords, SqliteLog } from './log.ts';
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
  /** The log in the same database, with the same group commit; left out: conditional writes append nothing. */
  readonly log?: Pick<SqliteLog, 'place'>;
}

const UNSTAMPED: RowStamp = { version: 0, token: '', timestamp: 0 };

/**
 * A table store in one SQLite file, durable when its promises resolve. Tables are created when first used. A call is
 * one work of a group commit, so it is atomic over partitions too; only `compareAndSet` promises that (`atom`), since
 * Cassandra can not do it for the others. Reads wait while a commit's transaction is open, but for those of
 * `unsynced`. As strict as the memory store about two bodies at one timestamp, or under one `once` key, unless
 * `onTwoBodies` is given.
 */
export function createSqliteTableStore(options: SqliteTableStoreOptions): TableStore {
  return new SqliteTableStore(options);
}

class SqliteTableStore implements TableStore {
  readonly atom: Atom;
  readonly unsynced: TableStore;
  readonly #database: DatabaseSync;
  readonly #commits: GroupCommit;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onTwoBodies: ((error: TwoBodiesError) => void) | undefined;
  readonly #log: Pick<SqliteLog, 'place'> | undefined;
  readonly #tables = new Map<string, TableStatements>();
  #closed = false;

  constructor(options: SqliteTableStoreOptions) {
    this.#database = options.database;
    this.#commits = options.commits;
    this.#clock = options.clock;
    this.#onTwoBodies = options.onTwoBodies;
    this.#log = options.log;
    this.atom = options.log === undefined ? 'store' : 'store_and_log';
    this.unsynced = {
      atom: this.atom,
      read: (table, partition, clustering, read) => this.#read(table, [partition, clustering], read ?? {}, true),
      slice: (table, partition, slice) => this.#slice(table, partition, slice, true),
      upsert: (table, rows) => this.upsert(table, rows),
      insert: (table, rows) => this.insert(table, rows),
      compareAndSet: (table, write) => this.compareAndSet(table, write),
      dropPartition: (table, partition) => this.dropPartition(table, partition),
      partitions: (table, page) => this.partitions(table, page),
      check: () => this.check(),
      close: () => this.close(),
    };
  }

  async read(table: Table, partition: Key, clustering: Key, options: ReadOptions = {}): Promise<Row | null> {
    return this.#read(table, [partition, clustering], options, false);
  }

  async slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]> {
    return this.#slice(table, partition, options, false);
  }

  async #read(
    table: Table,
    [partition, clustering]: readonly [Key, Key],
    options: ReadOptions,
    seesUnsynced: boolean,
  ): Promise<Row | null> {
    checkRead(table, partition, clustering);
    const read = () => this.#use(table).read(partition, clustering, this.#clock.now());
    // Queued behind the writes in flight. Acknowledged writes are committed and need no waiting.
    if (options.serial === true) return this.#commits.enqueue(read, { writes: false });
    if (this.#mustWait(table, seesUnsynced)) await this.#commits.whenClosed();
    return this.#guard(read);
  }

  async #slice(table: Table, partition: Key, options: SliceOptions, seesUnsynced: boolean): Promise<readonly Row[]> {
    checkSlice(table, partition, options);
    if (this.#mustWait(table, seesUnsynced)) await this.#commits.whenClosed();
    return this.#guard(() => this.#use(table).slice(partition, options, this.#clock.now()));
  }

  /** What an open transaction wrote may be taken back, until it is synced. */
  #mustWait(table: Table, seesUnsynced: boolean): boolean {
    return this.#commits.isOpen && !(seesUnsynced && this.#tables.has(table.name));
  }

  /**
   * Null: they are there, or can be made now. A table that is made within a transaction goes with it, so the first
   * write to it waits; and as it may stand on the transaction, it fails with it.
   */
  #beforeTablesAreMade(tables: readonly Table[]): Promise<void> | null {
    const closed = tables.every(({ name }) => this.#tables.has(name)) ? null : this.#commits.whenClosed();
    if (closed === null) return null;
    return closed.then((isCommitted) => {
      if (!isCommitted) throw new PortError('unavailable', 'a write before this one failed');
    });
  }

  async upsert(table: Table, rows: readonly TurnWrite[]): Promise<void> {
    checkUpsert(table, rows);
    const waiting = this.#beforeTablesAreMade([table]);
    if (waiting !== null) await waiting;
    const statements = this.#use(table);
    const own = rows.map(ownCopy);
    await this.#write((refuse) => upsertAll({ table, statements, now: this.#clock.now(), refuse }, own));
  }

  async insert(table: Table, rows: readonly RowWrite[]): Promise<void> {
    checkInsert(table, rows);
    const waiting = this.#beforeTablesAreMade([table]);
    if (waiting !== null) await waiting;
    const statements = this.#use(table);
    const own = rows.map(ownCopy);
    await this.#write((refuse) => insertAll({ table, statements, now: this.#clock.now(), refuse }, own));
  }

  async compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome> {
    checkCompareAndSet(table, write, this.atom);
    const { partition, clustering, expected, next, rows = [], implied = [] } = write;
    const waiting = this.#beforeTablesAreMade([table, ...implied.map((each) => each.table)]);
    if (waiting !== null) await waiting;
    const statements = this.#use(table);
    const own = [{ ...next, partition, clustering }, ...rows].map(ownCopy);
    const stamp: RowStamp = { version: next.version, token: next.token, timestamp: 0 };
    const follow = implied.map((each) => this.#following(each));
    const appends = this.#placed(write.appends ?? []);
    return this.#write(
      (refuse): ConditionalOutcome => {
        const now = this.#clock.now();
        const current = statements.read(partition, clustering, now);
        if ((current?.version ?? null) !== expected) return { applied: false, current };
        for (const row of own) statements.put(row, stamp, 'always', now);
        for (const write of follow) write(now, refuse);
        for (const placed of appends) placed.insert();
        return { applied: true };
      },
      // Who reads the records at once may write what stands on them.
      {
        carries: appends.length > 0,
        onSettled: (isDurable) => appends.forEach((placed) => placed.settle(isDurable)),
      },
    );
  }

  /** A topic that refuses its records leaves offsets of the topics before it unused, which is allowed. */
  #placed(appends: readonly TopicRecords[]): readonly PlacedRecords[] {
    const log = this.#log;
    return log === undefined ? [] : appends.map(({ topic, records }) => log.place(topic, records));
  }

  async dropPartition(table: Table, partition: Key): Promise<void> {
    checkDrop(table, partition);
    const waiting = this.#beforeTablesAreMade([table]);
    if (waiting !== null) await waiting;
    const statements = this.#use(table);
    await this.#commits.enqueue(() => statements.dropPartition(partition));
  }

  async partitions(table: Table, { after, limit }: PartitionPage): Promise<Partitions> {
    checkPartitions(table, { after, limit });
    if (this.#mustWait(table, false)) await this.#commits.whenClosed();
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
    // What a failed sync left in doubt must not be copied into the database file.
    if (this.#database.isOpen && this.#commits.broken === null) checkpoint(this.#database);
  }

  /** One work of a group commit. It may run twice, so its findings are reported only when it is committed. */
  async #write<T>(work: (refuse: Refuse) => T, order: WorkOptions = {}): Promise<T> {
    const met: TwoBodiesError[] = [];
    const outcome = await this.#commits.enqueue(() => {
      met.length = 0;
      return work((error) => {
        if (this.#onTwoBodies === undefined) throw error;
        met.push(error);
      });
    }, order);
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
    const { broken } = this.#commits;
    if (broken !== null) throw new PortError('unavailable', broken.message, { cause: broken });
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
