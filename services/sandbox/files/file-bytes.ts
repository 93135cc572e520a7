import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The bytes of files, each under a name of letters and digits. Written bytes survive the end of this process; a power
 * cut may lose them, because no real post depends on them.
 */
export interface FileBytes {
  /** 0 for a missing file. */
  size(name: string): number;
  /** Creates the file where it is missing. A gap before `offset` reads as zeros. */
  write(name: string, offset: number, bytes: Uint8Array): void;
  /** The bytes [from, to), fewer at the end of the file. */
  read(name: string, from: number, to: number): Uint8Array;
  /** Replaces the file at `to`. */
  rename(from: string, to: string): void;
  remove(name: string): void;
}

export function createMemoryBytes(): FileBytes {
  const files = new Map<string, Uint8Array>();
  const get = (name: string) => files.get(name) ?? new Uint8Array();
  return {
    size: (name) => get(name).length,
    write(name, offset, bytes) {
      const old = get(name);
      const all = new Uint8Array(Math.max(old.length, offset + bytes.length));
      all.set(old);
      all.set(bytes, offset);
      files.set(name, all);
    },
    read: (name, from, to) => get(name).slice(from, to),
    rename(from, to) {
      files.set(to, get(from));
      files.delete(from);
    },
    remove: (name) => void files.delete(name),
  };
}

/** In a folder, which is created at the first write. */
export function createFolderBytes(folder: string): FileBytes {
  const path = (name: string) => join(folder, name);
  const within = <T>(name: string, flags: string, missing: T, work: (file: number) => T): T => {
    let file: number;
    try {
      file = openSync(path(name), flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing;
      throw error;
    }
    try {
      return work(file);
    } finally {
      closeSync(file);
    }
  };
  return {
    size: (name) => within(name, 'r', 0, (file) => fstatSync(file).size),
    write(name, offset, bytes) {
      mkdirSync(folder, { recursive: true });
      closeSync(openSync(path(name), 'a'));
      within(name, 'r+', undefined, (file) => {
        for (let done = 0; done < bytes.length;)
          done += writeSync(file, bytes, done, bytes.length - done, offset + done);
      });
    },
    read: (name, from, to) =>
      within(name, 'r', new Uint8Array(), (file) => {
        const bytes = new Uint8Array(Math.max(0, Math.min(to, fstatSync(file).size) - from));
        let done = 0;
        while (done < bytes.length) done += readSync(file, bytes, done, bytes.length - done, from + done);
        return bytes;
      }),
    rename: (from, to) => renameSync(path(from), path(to)),
    remove: (name) => rmSync(path(name), { force: true }),
  };
}
