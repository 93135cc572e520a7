import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '#config/config.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import { tellingFiles } from '../backup/file-failure.ts';
import { BLOBS_PREFIX, DATABASE_ENTRY, type Manifest } from '../backup/manifest.ts';
import { countFiles, type FileCount } from '../backup/named-files.ts';
import { unpack } from '../backup/unpack.ts';
import { anyWorkFolder } from '../backup/verify.ts';
import { openCluster } from './cluster-to-fill.ts';
import { openUnpackedBackup } from './embedded-backup.ts';
import { everyFewSeconds } from './progress.ts';
import { restoreOntoCluster, type MoveCounts } from './restore-onto-cluster.ts';

const MOST_TOLD = 3;

export interface ClusterRestoreReport extends MoveCounts {
  readonly manifest: Manifest;
  /** Of the files that rows name. */
  readonly named: FileCount;
}

/**
 * Restores a backup of an embedded installation onto the empty cluster of the settings, and holds publishing there. The
 * backup is checked first, and unpacked beside it for that. Rejects with `PortError` and a sentence that says why not.
 */
export async function restoreBackupOntoCluster(
  config: Config,
  from: string,
  { clock, say }: { readonly clock: Pick<Clock, 'now' | 'monotonic'>; readonly say: (line: string) => void },
): Promise<ClusterRestoreReport> {
  const path = resolve(from);
  if (!existsSync(path)) throw new PortError('refused', `there is no backup ${path}`);
  await using work = await tellingFiles(`can't read ${path}`, () => anyWorkFolder(dirname(path), clock));
  const { manifest, troubles } = await unpack(path, work.path, (name) => name.startsWith(BLOBS_PREFIX));
  if (troubles.length > 0)
    throw new PortError('refused', `${path} can not be restored: ${troubles.slice(0, MOST_TOLD).join('; ')}`);
  const backupAt = Date.parse(manifest.snapshotAt);
  using opened = await openUnpackedBackup(work.path, { schemaVersion: manifest.schemaVersion, backupAt });
  await using cluster = await openCluster(config);
  const to = cluster.toFill(opened.backup.reader);
  const counts = await restoreOntoCluster(opened.backup, to, everyFewSeconds(clock, say));
  return { manifest, ...counts, named: await countFiles(`${work.path}/${DATABASE_ENTRY}`, to.blobs) };
}
