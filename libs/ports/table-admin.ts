import type { Table } from './table-store.ts';

/**
 * Makes what a TableStore stores in. Additive only: nothing is ever altered in type, emptied or dropped. Two processes
 * may not make tables at once: whoever calls holds the installation's lock, except for `ensureFoundation`. All calls
 * reject with `PortError`; `unknown` and `unavailable` may be repeated as they are.
 */
export interface TableAdmin {
  /** What `ensureFoundation` and `ensureTables` would do now, one statement each, in order. Changes nothing. */
  plan(tables: readonly Table[]): Promise<readonly string[]>;
  /** The space and the one table that the lock itself needs. Safe to be called by any number of processes at once. */
  ensureFoundation(lockTable: Table): Promise<readonly string[]>;
  /**
   * Makes the tables that are missing, each known to every node before the next. `beforeEach` is awaited before every
   * statement and may stop the work by throwing. Returns the statements that were run: none when nothing was missing.
   * Rejects `refused` when a table exists with another key.
   */
  ensureTables(tables: readonly Table[], beforeEach: () => Promise<void>): Promise<readonly string[]>;
  close(): Promise<void>;
}
