import { existsSync, realpathSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';
import type { Config } from '#config/config.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readClockAhead } from '#tables/repositories/clock-ahead.ts';
import { checkReadable } from '#tables/repositories/installation.ts';
import { markRestored } from '#tables/repositories/restored.ts';
import { secretTrouble, unknownSealingKeys } from '#tables/repositories/secret-probe.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { readPrivate, writePrivate, type Secrets } from '../engines/secrets.ts';
import { tellingFiles } from './file-failure.ts';
import { BLOBS_PREFIX, DATABASE_ENTRY, SECRETS_ENTRY, type Manifest } from './manifest.ts';
import { countFiles, type FileCount } from './named-files.ts';
import { withTables } from './opened-copy.ts';
import { RESTORING } from './unfinished-restore.ts';
import { unpack } from './unpack.ts';

const MOST_TOLD = 3;
/** Of the lock, and of a disk that has nothing else on it. */
const NO_CONTENT = ['owner.lock', 'owner.lock-journal', 'owner.pid', `${RESTORING}.new`, 'lost+found'];

export interface RestoreOptions {
  readonly config: Pick<Config, 'dataDir' | 'secret' | 'previousSecrets'>;
  readonly from: string;
  readonly clock: Pick<Clock, 'now'>;
}

export interface RestoreReport {
  readonly manifest: Manifest;
  readonly files: FileCount;
  /** Keys that sealed something in the backup, and that nobody knows who starts it with these settings. */
  readonly unknownKeys: readonly string[];
}

/**
 * Restores a backup into the data folder, which must be missing or empty, and holds publishing there. Rejects with
 * `PortError` and sentences that say why not; what was there is then as it was.
 *
 * Modes: *nothing* -> *unpacking* (restoring.json is there, everything else is below `unpacked`) -> *moving* (into its
 * places, one by one) -> *whole* (restoring.json is gone). A process that is killed between leaves restoring.json, with
 * which no process starts. The next restore removes it with all that stands beside it, which the killed one wrote.
 */
export async function restoreBackup({ config, from, clock }: RestoreOptions): Promise<RestoreReport> {
  const [folder, path] = [resolve(config.dataDir), resolve(from)];
  if (!existsSync(path)) throw new PortError('refused', `there is no backup ${path}`);
  await refuseContent(folder);
  refuseWithin(folder, path);
  const made = firstMissing(folder);
  const lock = await lockDataFolder(folder);
  try {
    await refuseContent(folder);
    await clear(folder);
    const restored = await tellingFiles(`can't restore into ${folder}`, () => fill(folder, path, { config, clock }));
    await lock.release();
    return restored;
  } catch (error) {
    await clear(folder).catch(() => undefined);
    for (const name of NO_CONTENT.slice(0, -1)) await rm(join(folder, name), { force: true });
    await lock.release();
    if (made !== null) await rm(made, { recursive: true, force: true });
    throw error;
  }
}

async function refuseContent(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[];
    if (error.code === 'ENOTDIR') throw new PortError('refused', `${folder} is no folder`);
    throw error;
  });
  if (names.includes(RESTORING)) return;
  const [content] = names.filter((name) => !NO_CONTENT.includes(name));
  if (content === undefined) return;
  throw new PortError(
    'refused',
    `${folder} is not empty (${content}): a backup is restored into a folder that is missing or empty, so name another with --data-dir`,
  );
}

/** A restore that begins anew removes all that is in the folder, and would remove the backup with it. */
function refuseWithin(folder: string, path: string): void {
  if (!existsSync(folder)) return;
  const [first] = relative(realpathSync(folder), realpathSync(path)).split(sep);
  if (first === '..') return;
  throw new PortError('refused', `${path} is in ${folder}, which a restore clears: move it to another folder first`);
}

/** The uppermost folder that has to be made; null: the folder is there. */
function firstMissing(folder: string): string | null {
  if (existsSync(folder)) return null;
  return firstMissing(dirname(folder)) ?? folder;
}

/** Removes what a restore left. The file that says so goes last. */
async function clear(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (!names.includes(RESTORING)) return;
  for (const name of names)
    if (name !== RESTORING && !NO_CONTENT.includes(name)) await rm(join(folder, name), { recursive: true });
  await rm(join(folder, RESTORING));
}

async function fill(
  folder: string,
  path: string,
  { config, clock }: Pick<RestoreOptions, 'config' | 'clock'>,
): Promise<RestoreReport> {
  writePrivate(join(folder, RESTORING), { from: path });
  await syncFolder(folder);
  const unpacked = join(folder, 'unpacked');
  await mkdir(unpacked, { mode: 0o700 });
  const { manifest, troubles } = await unpack(path, unpacked, () => true);
  if (troubles.length > 0)
    throw new PortError('refused', `${path} can not be restored: ${troubles.slice(0, MOST_TOLD).join('; ')}`);
  checkReadable(manifest.schemaVersion);
  const database = join(unpacked, DATABASE_ENTRY);
  const blobs = await createFilesystemBlobStore({ folder: join(unpacked, BLOBS_PREFIX), shared: true });
  const files = await countFiles(database, blobs);
  const unknownKeys = await withTables(database, clock, async (store) => {
    checkFormat(await readStoredFormat(store));
    const isIncluded = manifest.secrets === 'included';
    const kept = isIncluded ? readPrivate<Partial<Secrets>>(join(unpacked, SECRETS_ENTRY)) : null;
    const box = await boxOf(store, config, kept?.secret ?? null);
    const restoredAt = clock.now() + (await readClockAhead(store));
    await markRestored(store, { backupAt: Date.parse(manifest.snapshotAt), restoredAt });
    return box === null ? [] : unknownSealingKeys(store, box);
  });
  await syncTree(unpacked);
  for (const name of await readdir(unpacked)) await rename(join(unpacked, name), join(folder, name));
  await rmdir(unpacked);
  await syncFolder(folder);
  await rm(join(folder, RESTORING));
  await syncFolder(folder);
  return { manifest, files, unknownKeys };
}

/**
 * What the restored installation will open values with: a secret that is set wins over the backup's at the start. Null:
 * the secret is elsewhere. Rejects `refused` when it would open nothing.
 */
async function boxOf(
  store: TableStore,
  { secret, previousSecrets }: RestoreOptions['config'],
  kept: string | null,
): Promise<SecretBox | null> {
  const own = secret ?? kept;
  if (own === null) return null;
  const box = createSecretBox({ secret: own, previousSecrets });
  const trouble = await secretTrouble(store, box);
  if (trouble === null) return box;
  throw new PortError(
    'refused',
    secret === null
      ? 'the secret in the backup does not open it, since it was being changed when the backup was made: name the former one in CRIER_PREVIOUS_SECRETS'
      : trouble,
  );
}

/** The names of all files reach the disk before the folder counts as whole. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
