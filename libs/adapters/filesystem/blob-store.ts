import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobFacts, BlobStore, ListedBlob, PutOptions } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import { freePiece } from '#ports/blob-pieces.ts';
import { checkBlobListing, checkBlobName, checkBlobRange } from '#ports/blob-checks.ts';
import { blobFiles } from './blob-files.ts';

/**
 * Names of blobs have no dots, so neither the folder of unfinished puts nor a blob beside a folder of the same name can
 * collide with another blob.
 */
const INCOMING = '.incoming';
const SUFFIX = '.blob';
/**
 * So much of a file is written between two syncs of it. A sync of the database waits until all is on the disk that the
 * file system has put into the same step of its journal, which would be the whole of a large file that is stored.
 */
const SYNCED_PIECE_BYTES = 1024 ** 2;

/**
 * Blobs as files below `folder`, which is made if it is missing. By default the folder belongs to this process alone
 * (`lockDataFolder`), and files that a crash left unfinished are removed here. With `shared`, other processes may write
 * to it: nothing is created before it is needed, and only `removeUnfinished` removes files. Rejects with `PortError`
 * `unavailable` when the folder can't be used.
 */
export async function createFilesystemBlobStore(options: {
  readonly folder: string;
  readonly shared?: boolean;
}): Promise<BlobStore> {
  const { folder, shared = false } = options;
  if (!shared) {
    const incoming = join(folder, INCOMING);
    await guard(async () => {
      await rm(incoming, { recursive: true, force: true });
      await makeFolder(incoming);
    });
  }
  return new FilesystemBlobStore(folder);
}

class FilesystemBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #incoming: string;
  /** Settled once no file is synced. */
  #lastSync: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, INCOMING);
  }

  /** A source that fails rejects with its own error, and nothing is stored. */
  async put(name: string, content: Readable, options: PutOptions): Promise<BlobFacts> {
    const path = this.#path(name);
    const temporary = join(this.#incoming, randomUUID());
    // The content may fail before it is read, while the file is opened: an error that nobody listens for would end the
    // process. Reading it afterwards rejects with that error.
    content.once('error', () => undefined);
    const file = await guard(() => this.#open(temporary)).catch((error: unknown) => {
      content.destroy();
      throw error;
    });
    try {
      const facts = await receive(content, file, options, () => this.#sync(file));
      // The content is synced before the name: after a power cut a name must not stand for less than the whole content.
      await guard(() => this.#sync(file));
      await guard(() => place(temporary, path));
      await syncIfThere(dirname(path));
      return facts;
    } catch (error) {
      content.destroy();
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  async get(name: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    const path = this.#path(name);
    checkBlobRange(range);
    const file = await guard(() => open(path, 'r'), `there is no blob ${name}`);
    const size = range === undefined ? null : (await file.stat()).size;
    if (range !== undefined && size !== null && range.start >= size) {
      await file.close();
      throw new PortError('refused', `blob ${name} has ${size} bytes; none at ${range.start}`);
    }
    return file.createReadStream(range ?? {});
  }

  async head(name: string): Promise<{ readonly bytes: number } | null> {
    const path = this.#path(name);
    const found = await guard(() => stat(path).catch(nothingIfMissing));
    return found === null ? null : { bytes: found.size };
  }

  async delete(name: string): Promise<void> {
    const path = this.#path(name);
    const missing = await guard(() => unlink(path).catch(nothingIfMissing));
    if (missing === null) return;
    await syncIfThere(dirname(path));
    await this.#removeEmpty(dirname(path));
  }

  async list(
    prefix: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly ListedBlob[]> {
    checkBlobListing(prefix, page);
    return guard(async () => {
      const listed: ListedBlob[] = [];
      for await (const name of blobFiles(this.#folder, { prefix, after: page.after, suffix: SUFFIX })) {
        const found = await stat(join(this.#folder, name + SUFFIX)).catch(nothingIfMissing);
        if (found !== null) listed.push({ name, bytes: found.size, ageMs: Math.max(0, Date.now() - found.mtimeMs) });
        if (listed.length === page.limit) break;
      }
      return listed;
    });
  }

  async removeUnfinished(olderThanMs: number): Promise<number> {
    return guard(async () => {
      let removed = 0;
      for (const name of (await readdir(this.#incoming).catch(nothingIfMissing)) ?? []) {
        const path = join(this.#incoming, name);
        // The process that writes the file sets its modification time with every piece, so its age is the time since
        // the last piece.
        const found = await stat(path).catch(nothingIfMissing);
        if (found === null || Date.now() - found.mtimeMs <= olderThanMs) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    });
  }

  localPath(name: string): string {
    return this.#path(name);
  }

  /**
   * Files are synced one after the other. The database is on the same disk, which would carry out all syncs that many
   * files asked for before one that a request waits for.
   */
  #sync(file: FileHandle): Promise<void> {
    const synced = this.#lastSync.then(() => file.datasync());
    this.#lastSync = synced.catch(() => undefined);
    return synced;
  }

  async #open(temporary: string): Promise<FileHandle> {
    return open(temporary, 'wx', 0o600).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await makeFolder(this.#incoming);
      return open(temporary, 'wx', 0o600);
    });
  }

  /**
   * Removes empty folders, from `path` upwards. A folder that another put needs meanwhile is made again by that put.
   */
  async #removeEmpty(path: string): Promise<void> {
    for (let empty = path; empty !== this.#folder; empty = dirname(empty)) {
      const removed = await rmdir(empty).then(
        () => true,
        () => false,
      );
      if (!removed) return;
    }
  }

  #path(name: string): string {
    checkBlobName(name);
    return join(this.#folder, name + SUFFIX);
  }
}

const MAX_TRIES = 10;

/** The folder may be removed between its making and its use, because deleting its last blob removes it too. */
async function place(temporary: string, path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await makeFolder(dirname(path));
      return await rename(temporary, path);
    } catch (error) {
      const cause = error instanceof PortError ? error.cause : error;
      if (!isMissing(cause) || tries === MAX_TRIES) throw error;
    }
  }
}

async function receive(
  content: Readable,
  file: FileHandle,
  { maxBytes, freesPieces = false }: PutOptions,
  sync: () => Promise<void>,
): Promise<BlobFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  let unsynced = 0;
  for await (const chunk of content) {
    const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);
    bytes += piece.length;
    if (bytes > maxBytes) throw new PortError('refused', `more than ${maxBytes} bytes`);
    hash.update(piece);
    for (let written = 0; written < piece.length;) {
      written += (await guard(() => file.write(piece, written))).bytesWritten;
    }
    unsynced += piece.length;
    if (freesPieces) freePiece(piece);
    if (unsynced < SYNCED_PIECE_BYTES) continue;
    await guard(sync);
    unsynced = 0;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * The name of each new folder has to reach the disk too. Not `recursive`, which retries for ever where a parent exists
 * but answers ENOENT.
 */
async function makeFolder(path: string): Promise<void> {
  if ((await stat(path).catch(nothingIfMissing))?.isDirectory()) return;
  const parent = dirname(path);
  if ((await stat(parent).catch(nothingIfMissing)) === null) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    // Two puts made it at the same time.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await syncFolder(parent, 'unavailable');
}

async function syncFolder(path: string, kind: 'unavailable' | 'unknown'): Promise<void> {
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    throw new PortError(kind, `${path} can't be synced: ${messageOf(error)}`, { cause: error });
  }
}

/** A folder that is gone needs no sync: all that was in it was deleted. */
async function syncIfThere(path: string): Promise<void> {
  await syncFolder(path, 'unknown').catch((error: unknown) => {
    if (!(error instanceof PortError) || !isMissing(error.cause)) throw error;
  });
}

async function guard<T>(work: () => Promise<T>, missing?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortError) throw error;
    if (missing !== undefined && isMissing(error)) throw new PortError('refused', missing, { cause: error });
    throw new PortError('unavailable', codeOf(error) === 'ENOSPC' ? 'the disk is full' : messageOf(error), {
      cause: error,
    });
  }
}

function nothingIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
