import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { openingFailure } from '#adapters/sqlite/storage-failure.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { TableStore } from '#ports/table-store.ts';

/** Lends the tables of a database that no other process has open. Rejects with `PortError`. */
export async function withTables<T>(
  path: string,
  clock: Pick<Clock, 'now'>,
  work: (store: TableStore) => Promise<T>,
): Promise<T> {
  const database = openDatabase(path);
  try {
    const commits = new GroupCommit(database);
    const store = createSqliteTableStore({ database, commits, clock });
    const done = await work(store);
    await store.close();
    await commits.close();
    return done;
  } catch (error) {
    throw openingFailure(path, error);
  } finally {
    closeDatabase(database);
  }
}
