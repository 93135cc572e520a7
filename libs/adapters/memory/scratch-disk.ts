import { Readable } from 'node:stream';
import { PortError } from '#ports/errors.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';

/** A disk that lives as long as the process; `bytes` is for tools that open its files by their paths. */
export interface MemoryScratchDisk extends ScratchDisk {
  /** Null: there is no such file. */
  bytes(path: string): Buffer | null;
  put(path: string, bytes: Uint8Array): void;
}

export function createMemoryScratchDisk(): MemoryScratchDisk {
  const files = new Map<string, Buffer>();
  const folders = new Set<string>();
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  return {
    makeFolder: async (path) => {
      for (let folder = path; folder !== ''; folder = folderOf(folder)) folders.add(folder);
    },
    write: async (path, content) => {
      if (!folders.has(folderOf(path))) throw new PortError('unavailable', `there is no folder for ${path}`);
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece as Uint8Array);
      files.set(path, Buffer.concat(pieces));
    },
    read: (path) => Readable.from(bytesAt(files, path)),
    remove: async (path) => {
      for (const name of [...files.keys()]) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
      for (const name of [...folders]) if (name === path || name.startsWith(`${path}/`)) folders.delete(name);
    },
    bytes: (path) => files.get(path) ?? null,
    put: (path, bytes) => void files.set(path, Buffer.from(bytes)),
  };
}

async function* bytesAt(files: ReadonlyMap<string, Buffer>, path: string): AsyncGenerator<Uint8Array> {
  const bytes = files.get(path);
  if (bytes === undefined) throw new PortError('unavailable', `there is no file ${path}`);
  yield bytes;
}
