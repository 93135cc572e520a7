import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobFacts, BlobStore, ListedBlob, PutOptions } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import { freePiece } from '#ports/blob-pieces.ts';
import { checkBlobListing, checkBlobName, checkBlobRange } from '#ports/blob-checks.ts';

interface MemoryBlob {
  readonly content: Buffer;
  readonly at: number;
}

/** Blobs that live as long as the process. Default of `now`: the machine's clock. */
export function createMemoryBlobStore(now: () => number = Date.now): BlobStore {
  const blobs = new Map<string, MemoryBlob>();
  const found = (name: string): Buffer => {
    const blob = blobs.get(name);
    if (blob === undefined) throw new PortError('refused', `there is no blob ${name}`);
    return blob.content;
  };
  return {
    put: async (name, source, options) => {
      try {
        checkBlobName(name);
        const { content, facts } = await receive(source, options);
        blobs.set(name, { content, at: now() });
        return facts;
      } catch (error) {
        source.destroy();
        throw error;
      }
    },
    get: async (name, range) => {
      checkBlobName(name);
      checkBlobRange(range);
      const content = found(name);
      if (range !== undefined && range.start >= content.length)
        throw new PortError('refused', `blob ${name} has ${content.length} bytes; none at ${range.start}`);
      return Readable.from([Buffer.from(content.subarray(range?.start, range && range.end + 1))]);
    },
    head: async (name) => {
      checkBlobName(name);
      const blob = blobs.get(name);
      return blob === undefined ? null : { bytes: blob.content.length };
    },
    delete: async (name) => {
      checkBlobName(name);
      blobs.delete(name);
    },
    list: async (prefix, page) => {
      checkBlobListing(prefix, page);
      const names = [...blobs.keys()].filter(
        (name) => name.startsWith(prefix) && (page.after === null || name > page.after),
      );
      return names
        .sort()
        .slice(0, page.limit)
        .map((name): ListedBlob => listed(name, blobs.get(name)!, now()));
    },
    // A put that is cut off stores nothing.
    removeUnfinished: async () => 0,
    localPath: () => null,
  };
}

function listed(name: string, { content, at }: MemoryBlob, now: number): ListedBlob {
  return { name, bytes: content.length, ageMs: Math.max(0, now - at) };
}

async function receive(
  source: Readable,
  { maxBytes, freesPieces = false }: PutOptions,
): Promise<{ readonly content: Buffer; readonly facts: BlobFacts }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    const piece = Buffer.from(chunk as Uint8Array);
    if (freesPieces && Buffer.isBuffer(chunk)) freePiece(chunk);
    bytes += piece.length;
    if (bytes > maxBytes) throw new PortError('refused', `more than ${maxBytes} bytes`);
    chunks.push(piece);
  }
  const content = Buffer.concat(chunks);
  return { content, facts: { bytes, sha256: createHash('sha256').update(content).digest('hex') } };
}
