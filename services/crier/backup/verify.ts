import { dirname, join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import { checkReadable } from '#tables/repositories/installation.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { tellingFiles } from './file-failure.ts';
import { DATABASE_ENTRY, type Manifest } from './manifest.ts';
import { withTables } from './opened-copy.ts';
import { unpack } from './unpack.ts';
import { makeWorkFolder, type WorkFolder } from './work-folder.ts';

/** `manifest` null: it has none that can be read. */
export interface BackupVerdict {
  readonly manifest: Manifest | null;
  /** One sentence each; none: the backup is whole, and this release restores it. */
  readonly troubles: readonly string[];
}

/**
 * Reads and checks all of a backup. Its database is unpacked beside it for that, or in the folder for temporary files
 * where nothing may be written beside it. Rejects with `PortError` when that can not be done.
 */
export async function verifyBackup(given: string, clock: Pick<Clock, 'now'>): Promise<BackupVerdict> {
  const path = resolve(given);
  try {
    await using work = await tellingFiles(`can't check ${path}`, () => anyWorkFolder(dirname(path), clock));
    const { manifest, troubles } = await unpack(path, work.path, () => false);
    if (troubles.length > 0) return { manifest, troubles };
    return { manifest, troubles: await troublesOfRelease(manifest, join(work.path, DATABASE_ENTRY), clock) };
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'refused') throw error;
    return { manifest: null, troubles: [error.message] };
  }
}

/** Beside a file, or in the folder for temporary files where nothing may be written beside it. */
export async function anyWorkFolder(beside: string, clock: Pick<Clock, 'now'>): Promise<WorkFolder> {
  return makeWorkFolder(beside, clock.now()).catch((error: NodeJS.ErrnoException) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
    return makeWorkFolder(tmpdir(), clock.now());
  });
}

/** Why this release does not restore it. */
async function troublesOfRelease(
  { schemaVersion }: Manifest,
  database: string,
  clock: Pick<Clock, 'now'>,
): Promise<readonly string[]> {
  try {
    checkReadable(schemaVersion);
    await withTables(database, clock, async (store) => checkFormat(await readStoredFormat(store)));
    return [];
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'refused') throw error;
    return [error.message];
  }
}
