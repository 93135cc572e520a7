/**
 * A wide-row store: tables are data, rows live in partitions in clustering order, a row's value is one opaque body.
 * There are no joins, filters, secondary indexes, counters or single-row deletes.
 */
export type KeyValue = string | number;
export type Key = readonly KeyValue[];

export interface KeyColumn {
  readonly name: string;
  /** `text`: UTF-8 up to 1 KiB, ordered by bytes; `long`: a safe integer. */
  readonly type: 'text' | 'long';
  /** Clustering columns only; ascending unless said. */
  readonly order?: 'asc' | 'desc';
}

/**
 * Which clock orders the writes of a row. A table has exactly one, and adapters refuse the calls of the others, because
 * mixing conditional writes and client timestamps on the same cells loses writes.
 * - `conditional`: only `compareAndSet`; rows carry `version` and `token`.
 * - `turn`: only `upsert`, each row at a timestamp that its writer derives from a Workspace's version. The newest wins,
 *   whatever the order of arrival.
 * - `once`: only `insert`; writing a key again with the same body is harmless.
 *
 * A second body at one timestamp of a `turn` table, or under one key of a `once` table, is a defect of this project.
 * Adapters reject it with `TwoBodiesError`, unless they are configured to report it and go on, as in production, where
 * a defect must not stop a Workspace.
 */
export type TableClock = 'conditional' | 'turn' | 'once';

export interface Table {
  readonly name: string;
  readonly doc: string;
  readonly partitionKey: readonly KeyColumn[];
  readonly clusteringKey: readonly KeyColumn[];
  readonly clock: TableClock;
  /** True when rows may carry a ttl. Expiry is only garbage collection: rules judge by stored times. */
  readonly expires?: boolean;
}

export interface Row {
  readonly partition: Key;
  readonly clustering: Key;
  readonly body: Uint8Array;
  /** Format number of the body, for readers of an older release. */
  readonly format: number;
  /** Conditional tables only; 0 elsewhere. */
  readonly version: number;
  /** Conditional tables only: the random token of the write that made this version; '' elsewhere. */
  readonly token: string;
}

export interface RowWrite {
  readonly partition: Key;
  readonly clustering: Key;
  readonly body: Uint8Array;
  readonly format: number;
  readonly ttlSeconds?: number;
}

export interface TurnWrite extends RowWrite {
  /** Microseconds-like ordering number, > 0. */
  readonly timestamp: number;
}

export interface SliceOptions {
  /** Clustering prefix: only rows that begin with it. */
  readonly prefix?: Key;
  /**
   * Bounds on the clustering columns after `prefix`, in the table's own order ("after" = later in slice order). At most
   * one of from/after.
   */
  readonly from?: Key;
  readonly after?: Key;
  /** Exclusive end, in slice order. */
  readonly until?: Key;
  /** 1..5000. */
  readonly limit: number;
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
  /** Rows of other tables, written in the same atom: only where `atom` is `store`, elsewhere refused. */
  readonly implied?: readonly ImpliedRows[];
}

/** Rows of one `turn` table, as `upsert` takes them, or of one `once` table, as `insert` does. */
export type ImpliedRows =
  | { readonly table: Table; readonly upsert: readonly TurnWrite[] }
  | { readonly table: Table; readonly insert: readonly RowWrite[] };

/** The extent of one conditional write's atomicity: rows of its own partition, or rows of any table. */
export type Atom = 'partition' | 'store';

/** `current` is the head that caused the refusal (null: there is none). */
export type ConditionalOutcome = { readonly applied: true } | { readonly applied: false; readonly current: Row | null };

/**
 * All calls reject with `PortError`, with `unknown` only from writes. A `compareAndSet` of unknown outcome is settled
 * by a serial `read` of the head, after which the lost write can't be applied any more (compare `token`).
 */
export interface TableStore {
  /** The extent of `compareAndSet`'s atomicity. A caller that wants `store` must also work with `partition`. */
  readonly atom: Atom;
  /** `serial`: sees, and settles, conditional writes in flight. Default: the latest acknowledged write. */
  read(table: Table, partition: Key, clustering: Key, options?: { readonly serial?: boolean }): Promise<Row | null>;
  /** Rows of one partition in clustering order. Fewer than `limit` rows = the end of the range. */
  slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]>;
  /** `turn` tables. Atomic per partition, not over partitions; idempotent. */
  upsert(table: Table, rows: readonly TurnWrite[]): Promise<void>;
  /** `once` tables. As `upsert`. */
  insert(table: Table, rows: readonly RowWrite[]): Promise<void>;
  /**
   * `conditional` tables: one atomic write in one partition, together with the rows of `implied`. When the head's
   * version refuses it, nothing is written.
   */
  compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome>;
  /** `once` tables: deletes a whole partition; rows inserted afterwards are kept. */
  dropPartition(table: Table, partition: Key): Promise<void>;
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
