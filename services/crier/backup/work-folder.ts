import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';

const PREFIX = '.crier-backup-';
/** A younger folder may be one that its process has not locked yet. */
const LOCKED_WITHIN_MS = 60_000;

/** A folder for files on their way, that is removed with all that is in it. */
export interface WorkFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Makes a private folder in `parent`, and first removes those that killed processes of this user left there: a lock
 * that ends with its process tells them from the ones at work. Rejects with the errors of the file system.
 */
export async function makeWorkFolder(parent: string, now: number): Promise<WorkFolder> {
  await removeDeserted(parent, now);
  const path = await mkdtemp(join(parent, PREFIX));
  const lock = await lockDataFolder(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      await lock.release();
    },
  };
}

async function removeDeserted(parent: string, now: number): Promise<void> {
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.startsWith(PREFIX)) continue;
    const path = join(parent, entry.name);
    // What can not be removed is in nobody's way.
    await removeIfDeserted(path, now).catch(() => undefined);
  }
}

async function removeIfDeserted(path: string, now: number): Promise<void> {
  const { mtimeMs, uid } = await stat(path);
  if (uid !== process.getuid?.() || now - mtimeMs < LOCKED_WITHIN_MS) return;
  const lock = await lockDataFolder(path);
  await rm(path, { recursive: true, force: true });
  await lock.release();
}
