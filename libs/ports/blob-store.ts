import type { Readable } from 'node:stream';

export interface BlobFacts {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Whole files by name. A blob appears whole or not at all. Names: `[a-z0-9/_-]{1,200}` segments, no dots. */
export interface BlobStore {
  /** Stores the stream under `name`, replacing what was there. Rejects `refused` past `maxBytes`, leaving nothing behind. */
  put(name: string, content: Readable, options: { readonly maxBytes: number }): Promise<BlobFacts>;
  /** Bytes `start` (from 0) to `end` inclusive; the whole blob when left out. Rejects `refused` when it isn't there. */
  get(name: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  head(name: string): Promise<{ readonly bytes: number } | null>;
  delete(name: string): Promise<void>;
}
