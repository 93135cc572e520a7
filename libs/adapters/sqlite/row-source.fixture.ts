import type { RowReader } from '#ports/row-copy.ts';
import type { TableStore } from '#ports/table-store.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { createSqliteRowReader, openCopiedDatabase } from './row-reader.ts';
import { createSqliteTableStore } from './table-store.ts';

export interface SqliteRowSource {
  readonly source: TableStore;
  readonly reader: () => RowReader;
  close(): Promise<void>;
}

/** A store in a file, and the reader of the same file. */
export function sqliteRowSource(path: string, now: () => number): SqliteRowSource {
  const database = openDatabase(path);
  const commits = new GroupCommit(database);
  const source = createSqliteTableStore({ database, commits, clock: { now } });
  let reader: RowReader | null = null;
  return {
    source,
    // Opened when the tables are there, which come into being with their first row.
    reader: () => (reader ??= createSqliteRowReader(openCopiedDatabase(path))),
    close: async () => {
      await source.close();
      await commits.close();
      closeDatabase(database);
    },
  };
}
