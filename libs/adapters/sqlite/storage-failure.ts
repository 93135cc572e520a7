import { PortError } from '#ports/errors.ts';

/** Primary result codes (sqlite.org/rescode.html) that describe the disk or the lock, not the statement. */
const STORAGE_CODES: Readonly<Record<number, string>> = {
  5: 'another process holds the database',
  6: 'the database is locked',
  7: 'out of memory',
  8: "the database can't be written (read-only)",
  10: 'the disk reports an error',
  11: 'the database file is damaged',
  13: 'the disk is full',
  14: "the database file can't be opened",
  15: 'the locking protocol failed',
  26: 'the file is not a database',
};

/**
 * SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC: the commit record was written, and a recovery after a power cut may find
 * it, although this process continues without it.
 */
const SYNC_FAILED: ReadonlySet<number> = new Set([1034, 1290]);

/**
 * What to say of an error while a database is opened: one that speaks of its tables means that another program, or
 * another release, made them. Any other error is returned as it is.
 */
export function openingFailure(path: string, error: unknown): unknown {
  const failure = storageFailure(error);
  if (failure !== null) return new PortError('unavailable', `can't open ${path}: ${failure.message}`, { cause: error });
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  return new PortError(
    'refused',
    `can't open ${path}: its tables are not those of this release (${error.message}). It is no database of Crier, or of another release: start with another folder, or with the release that made it`,
    { cause: error },
  );
}

/** The `PortError` for a SQLite error, or null when the storage works and the error is a programming error. */
export function storageFailure(error: unknown): PortError | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  const words = STORAGE_CODES[error.errcode & 0xff];
  if (words === undefined) return null;
  return new PortError(
    SYNC_FAILED.has(error.errcode) ? 'unknown' : 'unavailable',
    `${words} (SQLite ${error.errcode})`,
    { cause: error },
  );
}
