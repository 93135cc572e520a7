import type { LogRecord } from './log.ts';
import type { ImpliedRows, Key, Row, RowWrite, SliceOptions, Table, TurnWrite } from './table.ts';

export interface ReadOptions {
  /** The read sees, and settles, conditional writes in flight. Default: it sees the latest acknowledged write. */
  readonly serial?: boolean;
}

export interface ConditionalWrite {
  readonly partition: Key;
  /** The row the condition is on (the head). */
  readonly clustering: Key;
  /** The version the head must have now; null = it must not exist. */
  readonly expected: number | null;
  readonly next: {
    readonly version: number;
    readonly token: string;
    readonly body: Uint8Array;
    readonly format: number;
    readonly ttlSeconds?: number;
  };
  /**
   * Further rows of the same partition (never the head), written in the same atom; stored with `next`'s version and
   * token.
   */
  readonly rows?: readonly RowWrite[];
  /** Rows of other tables, written in the same atom: only where `atom` is more than a partition, elsewhere refused. */
  readonly implied?: readonly ImpliedRows[];
  /** Records of the log, appended in the same atom: only where `atom` is `store_and_log`, elsewhere refused. */
  readonly appends?: readonly TopicRecords[];
}

/** Records to append to one topic. */
export interface TopicRecords {
  readonly topic: string;
  readonly records: readonly LogRecord[];
}

export interface PartitionPage {
  /** The `next` of the page before; null: the first page. */
  readonly after: string | null;
  /** 1..5000. */
  readonly limit: number;
}

export interface Partitions {
  readonly keys: readonly Key[];
  /** Null: there are no more. Good also after a restart, for the same store and table. */
  readonly next: string | null;
}

/**
 * The extent of one conditional write's atomicity: rows of its own partition, rows of any table, or these and records
 * of the log. `store_and_log` also says that all writes and appends of the process become durable in the order in
 * which they were called, and that one for which the disk has no room fails all that wait behind it.
 */
export type Atom = 'partition' | 'store' | 'store_and_log';

/** `current` is the head that caused the refusal (null: there is none). */
export type ConditionalOutcome = { readonly applied: true } | { readonly applied: false; readonly current: Row | null };

/**
 * A wide-row store. There are no joins, filters, secondary indexes, counters or single-row deletes.
 *
 * All calls reject with `PortError`, with `unknown` only from writes. A `compareAndSet` of unknown outcome is settled
 * by a serial `read` of the head, after which the lost write can't be applied any more (compare `token`).
 */
export interface TableStore {
  /** The extent of `compareAndSet`'s atomicity. A caller that wants more must also work with `partition`. */
  readonly atom: Atom;
  /**
   * The same store for who handles records that are appended and not durable yet (`Subscriber.reads`): its reads also
   * see rows that are written and not durable yet, of all that the records stand on. Writes resolve once they are
   * durable, as ever. Left out: there are no such rows.
   */
  readonly unsynced?: TableStore;
  read(table: Table, partition: Key, clustering: Key, options?: ReadOptions): Promise<Row | null>;
  /** Rows of one partition in clustering order. Fewer than `limit` rows = the end of the range. */
  slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]>;
  /** `turn` tables. Atomic per partition, not over partitions; idempotent. */
  upsert(table: Table, rows: readonly TurnWrite[]): Promise<void>;
  /** `once` tables. As `upsert`. */
  insert(table: Table, rows: readonly RowWrite[]): Promise<void>;
  /**
   * Rows of several tables that one caller waits for, as by `upsert` and `insert`, in as few requests as the store can:
   * not atomic over partitions. Left out: such requests cost the store nothing.
   */
  writeTogether?(writes: readonly ImpliedRows[]): Promise<void>;
  /**
   * `conditional` tables: one atomic write in one partition, together with the rows of `implied`. When the head's
   * version refuses it, nothing is written.
   */
  compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome>;
  /** `once` tables: deletes a whole partition; rows inserted afterwards are kept. */
  dropPartition(table: Table, partition: Key): Promise<void>;
  /**
   * The keys of the partitions that hold rows, a page of them in an order of the store's own: for work over a whole
   * table, which no request waits for. Each partition that is there from the first page to the last is listed; of those
   * that come or go meanwhile some may be.
   */
  partitions(table: Table, page: PartitionPage): Promise<Partitions>;
  /** Rejects when the store can't be reached or can't write. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export const MAX_BODY_BYTES = 1_048_576;
export const MAX_PARTITION_WRITE_BYTES = 4_000_000;
export const MAX_KEY_TEXT_BYTES = 1024;
export const MAX_SLICE_ROWS = 5000;
/** Cassandra's own bound: 20 years. */
export const MAX_TTL_SECONDS = 630_720_000;
