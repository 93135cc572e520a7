import type { PortError } from '#ports/errors.ts';
import { checkpoint, closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { SharedDatabase } from './log.ts';
import { WalSync } from './wal-sync.ts';

export interface SyncedDatabase extends SharedDatabase {
  /** Empties the write-ahead log into the file. */
  checkpoint(): void;
  /** When what works in it has ended. Once a sync failed the file stays open: closing it would write to it. */
  close(): Promise<void>;
}

/**
 * Opens (or creates) a database whose commits are synced by a thread. `onBroken`: a sync failed, and the process has to
 * end. Throws `PortError` `unavailable` when the file can't be opened or written.
 */
export async function openSyncedDatabase(
  path: string,
  onBroken: (error: PortError) => void = () => {},
): Promise<SyncedDatabase> {
  const database = openDatabase(path);
  try {
    const sync = await WalSync.start(database, path);
    const commits = new GroupCommit(database, { sync, onBroken });
    return {
      database,
      commits,
      checkpoint: () => {
        if (commits.broken === null) checkpoint(database);
      },
      close: async () => {
        await commits.close();
        await sync[Symbol.asyncDispose]();
        // Of what a failed sync left in doubt nothing may be copied into the database file.
        if (commits.broken === null) closeDatabase(database);
      },
    };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}
