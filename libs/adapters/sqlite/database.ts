import { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import { makePrivate } from './private-files.ts';
import { storageFailure } from './storage-failure.ts';

/** How long a statement waits for another process, such as a backup that copies the database. */
const BUSY_MS = 5000;

/** A database without a file. */
const IN_MEMORY = ':memory:';

/**
 * Opens (or creates, readable by this user alone) a database whose commits are on the disk when they return: WAL with
 * `synchronous = FULL` calls fdatasync on the WAL at every commit; NORMAL would lose the last commits at a power cut,
 * unless they are synced in another way (`WalSync`).
 *
 * No transaction lasts over a turn of the event loop (see GroupCommit), so several connections of this process may
 * share a file. Throws `PortError` `unavailable` when the file can't be opened or written.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== IN_MEMORY) makePrivate(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 8000;
      PRAGMA journal_size_limit = 67108864;
    `);
    return database;
  } catch (error) {
    database?.close();
    const message = storageFailure(error)?.message ?? (error instanceof Error ? error.message : String(error));
    throw new PortError('unavailable', `can't open ${path}: ${message}`, { cause: error });
  }
}

/**
 * Moves what is left in the WAL into the file and empties it, so that a copy of the folder is one file each. A full
 * disk does not make it fail: the WAL is as durable as the file and is replayed at the next start. Nor does it wait for
 * a process that reads, as a backup does for minutes: the event loop would stand still, and the next one does its work.
 */
export function checkpoint(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (storageFailure(error) === null) throw error;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}

/** Checkpoints and closes. Closing twice is harmless. */
export function closeDatabase(database: DatabaseSync): void {
  if (!database.isOpen) return;
  checkpoint(database);
  database.close();
}
