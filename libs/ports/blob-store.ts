import type { Readable } from 'node:stream';

export interface BlobFacts {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ListedBlob {
  readonly name: string;
  readonly bytes: number;
  /** Time since it was stored, by the store's own clock. */
  readonly ageMs: number;
}

export interface PutOptions {
  readonly maxBytes: number;
  /**
   * The pieces of the content are for the store alone, which frees the memory of each as soon as it can (`freePiece`).
   * Default: false.
   */
  readonly freesPieces?: boolean;
}

/**
 * Whole files by name. A blob appears as a whole or not at all. Names: `[a-z0-9/_-]{1,200}` segments, no dots. Rejects
 * with `PortError`.
 */
export interface BlobStore {
  /**
   * Stores the stream under `name`, replacing a former blob. Rejects `refused` past `maxBytes`, and as the stream does
   * when it fails; in both cases it stores nothing.
   */
  put(name: string, content: Readable, options: PutOptions): Promise<BlobFacts>;
  /**
   * Bytes `start` (from 0) to `end` inclusive; the whole blob when left out. Its pieces are for the reader alone.
   * Rejects `refused` when it isn't there.
   */
  get(name: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  head(name: string): Promise<{ readonly bytes: number } | null>;
  delete(name: string): Promise<void>;
  /**
   * A page of the blobs whose names begin with `prefix`, ascending by name, from the first after `after`. Fewer than
   * `limit` (at most 1000) means the end.
   */
  list(prefix: string, page: { readonly after: string | null; readonly limit: number }): Promise<readonly ListedBlob[]>;
  /** Removes the remains of puts that were cut off and began more than `olderThanMs` ago; returns their number. */
  removeUnfinished(olderThanMs: number): Promise<number>;
  /**
   * The path of the blob where it is a file of this machine, to be read only; null where it is not. It does not check
   * that the blob exists.
   */
  localPath(name: string): string | null;
}

export const MAX_LISTED_BLOBS = 1000;
