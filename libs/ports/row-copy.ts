import type { Row, Table } from './table.ts';

/** A row with all that its store keeps of it, to be written into another store as it is. */
export interface RowCopy extends Row {
  /** `turn` tables: the writer's timestamp; 0 elsewhere. */
  readonly timestamp: number;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
}

/** Reads whole tables, which a `TableStore` can not. */
export interface RowReader {
  /** How many rows the table holds, those that have expired included. */
  count(table: Table): number;
  /** Every row that has not expired by `now`, in any order. Throws `PortError`. */
  rows(table: Table, now: number): Iterable<RowCopy>;
}

/**
 * Fills tables that no process writes to yet. What a `TableStore` writes afterwards wins over what was filled in,
 * whatever the clocks: a compare-and-set finds the version, a turn that is older than the row loses to it.
 */
export interface RowWriter {
  /**
   * Repeatable; `now` is what times to live are counted from. Rejects with `PortError`: after `unavailable` and
   * `unknown` the same call may be repeated.
   */
  write(table: Table, rows: readonly RowCopy[], now: number): Promise<void>;
  close(): Promise<void>;
}
