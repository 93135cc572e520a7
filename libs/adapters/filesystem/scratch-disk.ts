import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { PortError } from '#ports/errors.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';

/** Files and folders that no other user of the machine can open. */
export const filesystemScratchDisk: ScratchDisk = {
  makeFolder: async (path) => void (await onDisk(() => mkdir(path, { recursive: true, mode: 0o700 }))),
  write: (path, content) => onDisk(() => pipeline(content, createWriteStream(path, { mode: 0o600 }))),
  read: (path) => createReadStream(path),
  remove: (path) => onDisk(() => rm(path, { recursive: true, force: true })),
};

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortError) throw error;
    throw new PortError('unavailable', error instanceof Error ? error.message : String(error), { cause: error });
  }
}
