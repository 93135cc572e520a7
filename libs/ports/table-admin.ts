import type { Table } from './table.ts';

/**
 * Creates the tables of a TableStore, and adds columns to them. Additive only: no column's type is ever altered, and
 * nothing is emptied or dropped. Two processes
 * may not create tables at once: the caller holds the installation's lock, except for `ensureFoundation`. All calls
 * reject with `PortError`; `unknown` and `unavailable` may be repeated unchanged.
 */
export interface TableAdmin {
  /** What `ensureFoundation` and `ensureTables` would do now, one statement each, in order. Changes nothing. */
  plan(tables: readonly Table[]): Promise<readonly string[]>;
  /** The keyspace and the one table that the lock itself needs. Safe when any number of processes call it at once. */
  ensureFoundation(lockTable: Table): Promise<readonly string[]>;
  /**
   * Creates the missing tables, and adds the missing columns of others, each known to every node before the next.
   * `beforeEach` is awaited before every statement and may stop the work by throwing. Returns the statements that were
   * run: none when nothing was missing. Rejects `refused` when a table exists with another key.
   */
  ensureTables(tables: readonly Table[], beforeEach: () => Promise<void>): Promise<readonly string[]>;
  /**
   * Where keyspace and tables are not as they must be, one sentence each; none: nothing differs. Beyond what is missing
   * it names what an administrator made otherwise by hand. `copies`: the least number in the data centre. Changes
   * nothing.
   */
  differences(tables: readonly Table[], options: { readonly copies: number }): Promise<readonly string[]>;
  close(): Promise<void>;
}
