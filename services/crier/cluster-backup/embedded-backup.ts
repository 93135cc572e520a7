import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createSqliteRowReader, openCopiedDatabase } from '#adapters/sqlite/row-reader.ts';
import { unfinishedRecords } from '#adapters/sqlite/unfinished-records.ts';
import type { EmbeddedBackup } from './restore-onto-cluster.ts';

const DATABASE = 'crier.db';
const BLOBS = 'blobs';

export interface OpenedBackup extends Disposable {
  readonly backup: EmbeddedBackup;
}

/** A backup whose entries were checked and stand in `folder`. Rejects with `PortError` `refused`. */
export async function openUnpackedBackup(
  folder: string,
  about: Pick<EmbeddedBackup, 'schemaVersion' | 'backupAt'>,
): Promise<OpenedBackup> {
  const path = join(folder, DATABASE);
  const database = openCopiedDatabase(path);
  const files = join(folder, BLOBS);
  return {
    backup: {
      ...about,
      identity: await digestOf(path),
      reader: createSqliteRowReader(database),
      unfinished: (topic) => unfinishedRecords(database, topic),
      files: existsSync(files) ? await createFilesystemBlobStore({ folder: files }) : null,
    },
    [Symbol.dispose]: () => database.close(),
  };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
