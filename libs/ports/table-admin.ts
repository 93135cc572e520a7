import type { Table } from './table.ts';

/**
 * Creates the tables of a TableStore. Additive only: nothing is ever altered in type, emptied or dropped. Two processes
 * may not create tables at once: the caller holds the installation's lock, except for `ensureFoundation`. All calls
 * reject with `PortError`; `unknown` and `unavailable` may be repeated unchanged.
 */
export interface TableAdmin {
  /** What `ensureFoundation` and `ensureTables` would do now, one statement each, in order. Changes nothing. */
  plan(tables: readonly Table[]): Promise<readonly string[]>;
  /** The keyspace and the one table that the lock itself needs. Safe when any number of processes call it at once. */
  ensureFoundation(lockTable: Table): Promise<readonly string[]>;
  /**
   * Creates the missing tables, each known to every node before the next. `beforeEach` is awaited before every
   * statement and may stop the work by throwing. Returns the statements that were run: none when nothing was missing.
   * Rejects `refused` when a table exists with another key.
   */
  ensureTables(tables: readonly Table[], beforeEach: () => Promise<void>): Promise<readonly string[]>;
  close(): Promise<void>;
}
