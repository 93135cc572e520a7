/** Between TikTok's least (5 MB) and the most that is held in memory at once; 2 GB make 238, of 1,000 that it takes. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/**
 * TikTok counts whole chunks only, so the last one takes the rest and may be nearly twice as long; a file of one chunk
 * is that chunk.
 */
export interface ChunkPlan {
  readonly chunkBytes: number;
  readonly count: number;
}

export function chunksOf(bytes: number): ChunkPlan {
  const count = Math.max(1, Math.floor(bytes / CHUNK_BYTES));
  return { chunkBytes: count === 1 ? bytes : CHUNK_BYTES, count };
}

interface Upload {
  readonly bytes: number;
  readonly chunkBytes: number;
}

/** Where the last chunk begins. Its end is the last byte of the video: sending it publishes. */
export function lastChunkFrom({ bytes, chunkBytes }: Upload): number {
  return (Math.max(1, Math.floor(bytes / chunkBytes)) - 1) * chunkBytes;
}

/** Where the chunk ends that the byte at `from` is in. */
export function chunkEnd(upload: Upload, from: number): number {
  const last = lastChunkFrom(upload);
  return from >= last ? upload.bytes : Math.min((Math.floor(from / upload.chunkBytes) + 1) * upload.chunkBytes, last);
}

const HAS = /^bytes 0-([0-9]+)\/[0-9*]+$/i;

/**
 * How many bytes TikTok has, by the `Content-Range: bytes 0-<uploaded>/<total>` of its answer; null when it doesn't
 * say. In HTTP that is the place of the last byte; where only the number itself ends a chunk, it was meant as a count.
 */
export function receivedOf(headers: Readonly<Record<string, string>>, upload: Upload): number | null {
  const last = Number(HAS.exec(headers['content-range']?.trim() ?? '')?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(last)) return null;
  const isCount = last % upload.chunkBytes === 0 || last >= upload.bytes;
  return Math.min(isCount ? last : last + 1, upload.bytes);
}
