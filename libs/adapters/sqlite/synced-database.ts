import { closeSync, openSync } from 'node:fs';
import type { PortError } from '#ports/errors.ts';
import { checkpoint, closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { SharedDatabase } from './log.ts';
import { preallocateWal } from './preallocated-wal.ts';
import { FROM_PAGES, LAST_PAGES, WalCheckpoints } from './wal-checkpoints.ts';
import { WalSync, type CommitSync } from './wal-sync.ts';

export interface SyncedDatabase extends SharedDatabase {
  /** Empties the write-ahead log into the file. */
  checkpoint(): void;
  /** When what works in it has ended. Once a sync failed the file stays open: closing it would write to it. */
  close(): Promise<void>;
}

export interface SyncedDatabaseOptions {
  /** A sync failed, and the process has to end. */
  readonly onBroken?: (error: PortError) => void;
  readonly onCheckpointFailed?: (error: Error) => void;
  /** As `fromPages` of `WalCheckpoints`. */
  readonly checkpointPages?: number;
}

/**
 * Opens (or creates) a database whose commits are synced, and whose write-ahead log is copied into its file, by
 * threads. Throws `PortError` `unavailable` when the file can't be opened or written.
 */
export async function openSyncedDatabase(
  path: string,
  { onBroken, onCheckpointFailed, checkpointPages }: SyncedDatabaseOptions = {},
): Promise<SyncedDatabase> {
  const database = openDatabase(path);
  // Closed after the database, as WalCheckpoints asks for.
  const file = openSync(path, 'r');
  const closeAll = (): void => {
    closeDatabase(database);
    closeSync(file);
  };
  try {
    await preallocateWal(database, path, (checkpointPages ?? FROM_PAGES) + LAST_PAGES);
    const [log, checkpoints] = await Promise.all([
      WalSync.start(database, path),
      WalCheckpoints.start({
        ...{ database, path, file },
        ...(checkpointPages !== undefined && { fromPages: checkpointPages }),
        ...(onCheckpointFailed && { onFailed: onCheckpointFailed }),
      }),
    ]);
    const sync: CommitSync = {
      sync: async () => {
        await log.sync();
        checkpoints.look();
      },
      between: () => checkpoints.between(),
    };
    const commits = new GroupCommit(database, { sync, ...(onBroken && { onBroken }) });
    return {
      database,
      commits,
      checkpoint: () => {
        if (commits.broken === null) checkpoint(database);
      },
      close: async () => {
        await commits.close();
        await checkpoints[Symbol.asyncDispose]();
        await log[Symbol.asyncDispose]();
        // Of what a failed sync left in doubt nothing may be copied into the database file.
        if (commits.broken === null) closeAll();
      },
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}
