import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Whether a file is the mark of a cluster's snapshot and no archive: a mark begins with a brace, an archive with the
 * name of an entry. False where nothing can be read.
 */
export function isMark(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const first = Buffer.alloc(1);
      return readSync(file, first) === 1 && first.toString() === '{';
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
