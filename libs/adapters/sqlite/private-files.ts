import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** The permissions of users other than the owner. */
const OF_OTHERS = 0o077;
/** A folder of many users, such as /tmp. */
const STICKY = 0o1000;
/** The files that SQLite keeps beside a database; it creates them with the database's mode. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the file of a database readable by this user alone, or makes an existing one private, with the files beside
 * it. An existing file is not opened: closing any descriptor of it would drop the locks that this process holds on it.
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
 * Makes a data folder private, and the files below it with these names: earlier releases left files as open as the
 * umask let them. A folder is made private after everything in it, so that an interrupted walk is repeated, and a
 * private folder is never walked. Files of other users, in a folder that they share, keep their mode.
 */
export function tighten(folder: string, names: readonly string[]): void {
  const shared = (lstatSync(folder).mode & STICKY) !== 0;
  for (const name of names) for (const suffix of BESIDE) close(join(folder, name + suffix));
  if (!shared) changeMode(folder, lstatSync(folder), FOLDER_MODE);
}

/** Links are not followed: their targets are outside the data folder. */
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
    // The file belongs to another user, as mounted volumes may: that user decides who may read it, and the start goes
    // on.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
