import type { Readable } from 'node:stream';

/**
 * Folders of this process alone, for files that are under way: what a crash leaves in them is of no more use. Paths are
 * absolute, and programs that this process starts can open them. Rejects with `PortError` `unavailable` when the disk
 * refuses.
 */
export interface ScratchDisk {
  /** Makes the folder, and what it stands in; one that is there stays as it is. */
  makeFolder(path: string): Promise<void>;
  /** Writes all of the stream to a file in a folder that is there. Rejects as the stream does when it fails. */
  write(path: string, content: Readable): Promise<void>;
  /** The bytes of a file. The stream fails when there is none. */
  read(path: string): Readable;
  /** Removes a file, or a folder with all that is in it; that there is none is no failure. */
  remove(path: string): Promise<void>;
}
