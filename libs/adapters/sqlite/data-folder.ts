import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import { makePrivate } from './private-files.ts';
import { storageFailure } from './storage-failure.ts';

/**
 * The lock file. We never open, read or copy it once it exists: closing any descriptor of it would drop the lock, as
 * POSIX locks work.
 */
const LOCK_FILE = 'owner.lock';
/** Used only in the message. A file that a killed owner left does no harm: it is read only while the lock is held. */
const PID_FILE = 'owner.pid';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a file stands where a folder is needed',
  EEXIST: 'a file stands where a folder is needed',
};

/**
 * Makes the folder (0700) if it is missing and locks it for this process: two servers on one folder would each trust
 * caches of their own. The lock is the operating system's, on a SQLite file held in an exclusive transaction, so it
 * ends with the process, however that ends. Rejects with `PortError` `unavailable` and one line that says what to do; a
 * folder that another process holds is not changed.
 */
export async function lockDataFolder(path: string): Promise<{ release(): Promise<void> }> {
  return attempt(path, () => {
    makeFolder(path);
    // Checked first, because SQLite would only say that it can't open its file.
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const lock = takeLock(path);
    try {
      writeDurably(join(path, PID_FILE), `${process.pid}\n`);
    } catch (error) {
      lock.close();
      throw error;
    }
    return {
      release: async () => {
        if (!lock.isOpen) return;
        rmSync(join(path, PID_FILE), { force: true });
        lock.close();
      },
    };
  });
}

/** Whether a process has the folder now. To be asked by another process than that one. Throws `PortError`. */
export function isDataFolderHeld(path: string): boolean {
  const file = join(path, LOCK_FILE);
  if (!existsSync(file)) return false;
  return attempt(path, () => {
    const lock = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      lock.prepare('SELECT 1 FROM sqlite_schema').get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      lock.close();
    }
  });
}

/** Not `recursive`: where a parent exists but answers ENOENT (/proc), Node retries for ever. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

function takeLock(path: string): DatabaseSync {
  makePrivate(join(path, LOCK_FILE));
  const lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new PortError(
      'unavailable',
      `the data folder ${path} is in use by ${holder(path)}; stop that one first, or start with another folder`,
    );
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function holder(path: string): string {
  try {
    const pid = Number.parseInt(readFileSync(join(path, PID_FILE), 'utf8'), 10);
    return Number.isInteger(pid) ? `process ${pid}` : 'another process';
  } catch {
    return 'another process';
  }
}

function writeDurably(path: string, content: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PortError || !(error instanceof Error)) throw error;
    const code = 'code' in error ? String(error.code) : '';
    const words = WORDS[code] ?? storageFailure(error)?.message ?? error.message;
    throw new PortError('unavailable', `can't use ${path} as data folder: ${words}`, { cause: error });
  }
}
