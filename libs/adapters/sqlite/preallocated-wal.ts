import { open, type FileHandle } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PIECE_BYTES = 1_048_576;

/**
 * Preallocates the write-ahead log of a database: writes zeros behind its last frame, up to so many pages, and syncs
 * them. A frame of zeros has no valid salts, so SQLite ends the log before it. To be called before the first commit.
 *
 * A commit that extends the file changes its length and its blocks, so its `fdatasync` waits for the journal of the
 * file system, and with it for whatever was written to other files; one that overwrites blocks of the file waits for
 * its own pages alone (ADR 0075). A disk without room for this is no failure: the log grows with its commits.
 */
export async function preallocateWal(database: DatabaseSync, path: string, pages: number): Promise<void> {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  // SQLite makes the file with the first read of a table.
  database.prepare('SELECT count(*) FROM sqlite_master').get();
  await using file = await open(`${path}-wal`, 'r+');
  await extend(file, HEADER_BYTES + pages * (FRAME_HEADER_BYTES + pageBytes));
}

/** By zeros that have their blocks on the disk; where there is no room for all of them, the file stays as it is. */
async function extend(file: FileHandle, bytes: number): Promise<void> {
  const { size } = await file.stat();
  const zeros = Buffer.alloc(PIECE_BYTES);
  try {
    for (let at = size; at < bytes;)
      at += (await file.write(zeros, 0, Math.min(PIECE_BYTES, bytes - at), at)).bytesWritten;
    await file.datasync();
  } catch {
    await file.truncate(size);
  }
}
