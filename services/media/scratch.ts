import { join } from 'node:path';
import type { BlobStore } from '#ports/blob-store.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';

/**
 * A folder for the files of one job. It is made with the first of them and removed when the job ends, with or without
 * success; what a crash left is removed with all of `root` at the next start. Rejects with `PortError` `unavailable`
 * when the disk refuses.
 */
export class Scratch implements AsyncDisposable {
  readonly #disk: ScratchDisk;
  readonly #folder: string;
  readonly #blobs: BlobStore;
  #sources = 0;
  #made: Promise<unknown> | null = null;

  constructor(disk: ScratchDisk, root: string, name: string, blobs: BlobStore) {
    this.#disk = disk;
    this.#folder = join(root, name);
    this.#blobs = blobs;
  }

  /**
   * Has `use` read a blob as a file: of a store that keeps it elsewhere it is copied here, and the copy removed behind
   * `use`. What comes next may wait for hours.
   */
  async withSource<T>(blob: string, use: (path: string) => Promise<T>): Promise<T> {
    const here = this.#blobs.localPath(blob);
    if (here !== null) return use(here);
    const name = `source-${this.#sources++}`;
    try {
      return await use(await this.#copy(blob, name));
    } finally {
      await this.#disk.remove(await this.path(name));
    }
  }

  async #copy(blob: string, name: string): Promise<string> {
    const content = await this.#blobs.get(blob);
    const path = await this.path(name);
    await this.#disk.write(path, content);
    return path;
  }

  async path(name: string): Promise<string> {
    this.#made ??= this.#disk.makeFolder(this.#folder);
    await this.#made;
    return join(this.#folder, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#disk.remove(this.#folder);
  }
}
