import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Of anybody but the owner. */
const OF_OTHERS = 0o077;
/** A folder of many users, such as /tmp. */
const STICKY = 0o1000;
/** What SQLite keeps beside a database, with the database's mode when it makes them anew. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/**
 * Makes the file of a database for this user alone, or closes one that is there to others, with what stands beside it.
 * A file that is there is not opened: closing any descriptor of it would drop the locks that this process has on it.
 */
export function makePrivate(database: string): void {
  try {
    closeSync(openSync(database, 'wx', FILE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const suffix of BESIDE) close(database + suffix);
}

/**
 * Closes a data folder to other users, and what is below it of these names: releases of before left files as open as
 * the umask let them. A folder is closed after everything in it, so that one whose walk broke off is walked again, and
 * a closed one never. Files of others, in a folder that they share, are left to them.
 */
export function tighten(folder: string, names: readonly string[]): void {
  const shared = (lstatSync(folder).mode & STICKY) !== 0;
  for (const name of names) for (const suffix of BESIDE) close(join(folder, name + suffix));
  if (!shared) changeMode(folder, lstatSync(folder), FOLDER_MODE);
}

/** Links are not followed: they lead to where somebody keeps things of his own accord. */
function close(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OF_OTHERS) === 0) return;
  if (found.isFile()) return changeMode(path, found, FILE_MODE);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) close(join(path, name));
  changeMode(path, found, FOLDER_MODE);
}

function changeMode(path: string, { mode }: Stats, to: number): void {
  if ((mode & OF_OTHERS) === 0) return;
  try {
    chmodSync(path, to);
  } catch (error) {
    // Of another user, as mounted volumes may be: then who may look is that user's to say, and no reason to stand
    // still.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
