import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PIECE_BYTES = 1_048_576;

/**
 * Takes room on the disk for so many pages of the write-ahead log of a database to which nobody writes yet, by zeros
 * behind what is there; SQLite takes them for the end of the log. A sync of a commit that makes the file longer also
 * has to wait for the journal of the file system, and with it for all that others wrote to their files; one that writes
 * where the file has room waits for its own pages alone (docs/benchmarks.md). Where there is no such room, the log
 * grows as before.
 */
export async function takeWalRoom(database: DatabaseSync, path: string, pages: number): Promise<void> {
  // The first read makes the file.
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  database.prepare('SELECT count(*) FROM sqlite_master').get();
  const wanted = HEADER_BYTES + pages * (FRAME_HEADER_BYTES + pageBytes);
  await using file = await open(`${path}-wal`, 'r+');
  const { size } = await file.stat();
  try {
    const zeros = Buffer.alloc(PIECE_BYTES);
    for (let at = size; at < wanted;)
      at += (await file.write(zeros, 0, Math.min(PIECE_BYTES, wanted - at), at)).bytesWritten;
    await file.datasync();
  } catch {
    await file.truncate(size);
  }
}
