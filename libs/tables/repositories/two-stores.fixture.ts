import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import type { TableStore } from '#ports/table-store.ts';

/** Two replicas' views of the same tables, for suites of repositories. */
export interface TwoStores {
  readonly stores: readonly [TableStore, TableStore];
  close(): Promise<void>;
}

export async function twoMemoryStores(): Promise<TwoStores> {
  const tables = new MemoryTables();
  return { stores: [createMemoryTableStore({ tables }), createMemoryTableStore({ tables })], close: async () => {} };
}

/** SQLite serves one process: both are the same store. */
export async function twoSqliteStores(): Promise<TwoStores> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const database = openDatabase(join(folder, 'tables.sqlite'));
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock: { now: () => 0 } });
  const close = async () => {
    await store.close();
    await commits.close();
    closeDatabase(database);
    rmSync(folder, { recursive: true });
  };
  return { stores: [store, store], close };
}
