/** Tables as data: rows live in partitions in clustering order, and a row's value is one opaque body. */
export type KeyValue = string | number;

export type Key = readonly KeyValue[];

export interface KeyColumn {
  readonly name: string;
  /** `text`: UTF-8 up to 1 KiB, ordered by bytes; `long`: a safe integer. */
  readonly type: 'text' | 'long';
  /** Clustering columns only; ascending unless said. */
  readonly order?: 'asc' | 'desc';
}

/** A column that may be empty in every row. */
export interface AddedColumn {
  readonly name: string;
  readonly type: 'text' | 'long' | 'bytes';
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
  /**
   * Columns beside the body, which a later release added to tables that exist: releases before it leave them alone. No
   * part of a body may move to one within a generation of formats.
   */
  readonly added?: readonly AddedColumn[];
  /** True when rows may carry a ttl. Expiry is only garbage collection: rules judge by stored times. */
  readonly expires?: boolean;
  /** True when every body is text in UTF-8: a store may hand rows out with their `text`. */
  readonly holdsText?: boolean;
}

export interface Row {
  readonly partition: Key;
  readonly clustering: Key;
  readonly body: Uint8Array;
  /** The same as text, where the store read it as such: then each use of `body` makes the bytes anew. */
  readonly text?: string;
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

/** Rows of one `turn` table, as `upsert` takes them, or of one `once` table, as `insert` does. */
export type ImpliedRows =
  | { readonly table: Table; readonly upsert: readonly TurnWrite[] }
  | { readonly table: Table; readonly insert: readonly RowWrite[] };

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
