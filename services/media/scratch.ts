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
  readonly #sources = new Map<string, Promise<string>>();

  #made: Promise<unknown> | null = null;

  constructor(disk: ScratchDisk, root: string, name: string, blobs: BlobStore) {
    this.#disk = disk;
    this.#folder = join(root, name);
    this.#blobs = blobs;
  }

  /** Where a blob can be read as a file: it is copied here once, unless the store keeps it on this machine. */
  sourceOf(blob: string): Promise<string> {
    const here = this.#blobs.localPath(blob);
    if (here !== null) return Promise.resolve(here);
    const known = this.#sources.get(blob);
    if (known !== undefined) return known;
    const name = `source-${this.#sources.size}`;
    const coming = this.#blobs.get(blob).then(async (content) => {
      const path = await this.path(name);
      await this.#disk.write(path, content);
      return path;
    });
    this.#sources.set(blob, coming);
    return coming;
  }

  async path(name: string): Promise<string> {
    this.#made ??= this.#disk.makeFolder(this.#folder);
    await this.#made;
    return join(this.#folder, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#sources.values());
    await this.#disk.remove(this.#folder);
  }
}
