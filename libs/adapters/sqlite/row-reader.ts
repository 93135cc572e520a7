import { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import type { RowCopy, RowReader } from '#ports/row-copy.ts';
import type { KeyValue, Table } from '#ports/table.ts';

type StoredColumns = readonly [
  body: Uint8Array,
  format: number,
  version: number,
  token: string,
  timestamp: number,
  expiresAt: number | null,
  ...key: KeyValue[],
];

const STORED_COLUMNS = 'body, format, version, token, timestamp, expires_at';

/** Opens a copy of a database that no process writes to. Throws `PortError` `refused` when it is none. */
export function openCopiedDatabase(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch (error) {
    throw new PortError('refused', `${path} is no database of Crier: ${(error as Error).message}`, { cause: error });
  }
}

/** Rows of a database that `createSqliteTableStore` wrote. A table that was never used has none. */
export function createSqliteRowReader(database: DatabaseSync): RowReader {
  const known = new Set(
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map((row) => String(row['name'])),
  );
  return {
    count: (table) =>
      known.has(table.name) ? Number(database.prepare(`SELECT count(*) AS n FROM "${table.name}"`).get()!['n']) : 0,
    rows: (table, now) => (known.has(table.name) ? rowsOf(database, table, now) : []),
  };
}

/** In the order of arrival, in which rows of one partition stand near each other. */
function* rowsOf(database: DatabaseSync, table: Table, now: number): Iterable<RowCopy> {
  const { name, partitionKey, clusteringKey } = table;
  const keys = [...partitionKey, ...clusteringKey].map((column) => `, "${column.name}"`).join('');
  const statement = database.prepare(
    `SELECT ${STORED_COLUMNS}${keys} FROM "${name}" WHERE expires_at IS NULL OR expires_at > ? ORDER BY rowid`,
  );
  statement.setReturnArrays(true);
  try {
    for (const stored of statement.iterate(now) as unknown as Iterable<StoredColumns>) {
      const [body, format, version, token, timestamp, expiresAt, ...key] = stored;
      yield {
        partition: key.slice(0, partitionKey.length),
        clustering: key.slice(partitionKey.length),
        body,
        format,
        version,
        token,
        timestamp,
        expiresAt,
      };
    }
  } catch (error) {
    throw new PortError('refused', `table ${name} of the backup can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
