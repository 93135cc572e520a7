import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { makePrivate } from './private-files.ts';
import { storageFailure } from './storage-failure.ts';

/** Of 4 KiB. A larger piece that goes to the disk at once would hold up who commits meanwhile. */
const PIECE_PAGES = 1024;
/** How many faults of a damaged database are reported. */
const MOST_FAULTS = 5;

/**
 * Copies the whole database at `from`, as of one instant, into the file `to`, which must be missing or empty. Another
 * process may go on writing: it waits for nothing, as this is one reader of its write-ahead log, which grows meanwhile.
 * Calls `rest` after each piece, which is on the disk by then. Rejects with `PortError` `unavailable`; what `to` holds
 * then is worthless.
 */
export async function copyDatabase(from: string, to: string, rest: () => void = () => {}): Promise<void> {
  makePrivate(to);
  const database = openToRead(from);
  const copy = openSync(to, 'r+');
  try {
    // Its transaction keeps the instant: without one, SQLite begins again whenever another process has written.
    database.exec('BEGIN');
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    await backup(database, to, {
      rate: PIECE_PAGES,
      progress: () => {
        fdatasyncSync(copy);
        rest();
      },
    });
    endWriteAheadLog(to);
    fdatasyncSync(copy);
  } catch (error) {
    throw failureOf(`can't copy ${from}`, error);
  } finally {
    closeSync(copy);
    database.close();
  }
}

/** A copy says, as its source does, that it has a write-ahead log: from now on it is one file. */
function endWriteAheadLog(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** The tables of a database with the number of their rows. Throws `PortError` `unavailable`. */
export function rowsByTable(path: string): Readonly<Record<string, number>> {
  return reading(path, (database) => {
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
      .all()
      .map(({ name }) => String(name))
      .sort();
    return Object.fromEntries(
      tables.map((name) => [name, Number(database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()!['rows'])]),
    );
  });
}

/** What SQLite finds wrong with the pages and indexes of a database; none: it is sound. */
export function faultsOf(path: string): readonly string[] {
  try {
    return reading(path, (database) =>
      database
        .prepare(`PRAGMA integrity_check(${MOST_FAULTS})`)
        .all()
        .map((row) => String(row['integrity_check']))
        .filter((line) => line !== 'ok'),
    );
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [error.message];
  }
}

/** A row as it is stored, without its key. */
export interface StoredBody {
  readonly body: Uint8Array;
  readonly format: number;
}

/** Calls `visit` with each row of a table of the port, in no order. A table that is not there has none. */
export function visitBodies(path: string, table: string, visit: (row: StoredBody) => void): void {
  reading(path, (database) => {
    if (!hasTable(database, table)) return;
    for (const row of database.prepare(`SELECT body, format FROM "${table}"`).iterate())
      visit({ body: row['body'] as Uint8Array, format: Number(row['format']) });
  });
}

/**
 * Single rows of a database in which another process may write, or none runs. A table that is not there has none.
 * Rejects with `PortError` `unavailable`.
 */
export function storedRows(path: string, clock: Pick<Clock, 'now'>): Pick<TableStore, 'read'> {
  return {
    read: async ({ name, partitionKey, clusteringKey }, partition, clustering) =>
      reading(path, (database) => {
        if (!hasTable(database, name)) return null;
        const keys = [...partitionKey, ...clusteringKey].map((column) => `"${column.name}" = ?`).join(' AND ');
        const row = database
          .prepare(
            `SELECT body, format, version, token FROM "${name}" WHERE ${keys} AND (expires_at IS NULL OR expires_at > ?)`,
          )
          .get(...partition, ...clustering, clock.now());
        return row === undefined ? null : { partition, clustering, ...(row as unknown as StoredRow) };
      }),
  };
}

type StoredRow = Omit<Row, 'partition' | 'clustering'>;

function hasTable(database: DatabaseSync, table: string): boolean {
  const named = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table);
  return named !== undefined;
}

function reading<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = openToRead(path);
  try {
    return work(database);
  } catch (error) {
    throw failureOf(`can't read ${path}`, error);
  } finally {
    database.close();
  }
}

function openToRead(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  } catch (error) {
    throw failureOf(`can't read ${path}`, error);
  }
}

function failureOf(what: string, error: unknown): unknown {
  const failure = storageFailure(error);
  return failure === null ? error : new PortError('unavailable', `${what}: ${failure.message}`, { cause: error });
}
