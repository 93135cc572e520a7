import type { Readable } from 'node:stream';

export interface BlobFacts {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ListedBlob {
  readonly name: string;
  readonly bytes: number;
  /** Since it was stored, by the store's own clock. */
  readonly ageMs: number;
}

/**
 * Whole files by name. A blob appears whole or not at all. Names: `[a-z0-9/_-]{1,200}` segments, no dots. Rejects with
 * `PortError`.
 */
export interface BlobStore {
  /**
   * Stores the stream under `name`, replacing what was there. Rejects `refused` past `maxBytes`, leaving nothing
   * behind, and as the stream does when that fails.
   */
  put(name: string, content: Readable, options: { readonly maxBytes: number }): Promise<BlobFacts>;
  /** Bytes `start` (from 0) to `end` inclusive; the whole blob when left out. Rejects `refused` when it isn't there. */
  get(name: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  head(name: string): Promise<{ readonly bytes: number } | null>;
  delete(name: string): Promise<void>;
  /**
   * A page of the blobs whose names begin with `prefix`, ascending by name, those after `after`. Fewer than `limit` (at
   * most 1000) = the end.
   */
  list(prefix: string, page: { readonly after: string | null; readonly limit: number }): Promise<readonly ListedBlob[]>;
  /**
   * Removes what is left of puts that were cut off, and were begun longer ago than `olderThanMs`; tells of how many.
   */
  removeUnfinished(olderThanMs: number): Promise<number>;
  /**
   * Where the blob lies as a file of this machine, to be read only; null: nowhere. Whether it is there is not judged.
   */
  localPath(name: string): string | null;
}

export const MAX_LISTED_BLOBS = 1000;
