import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobFacts, BlobStore } from '#ports/blob-store.ts';
import type { PrivatePart } from '#ports/media-tools.ts';

/**
 * Stores a copy of a blob without its private parts, under a name of its own, and returns its facts: it is as long as
 * the original. Repeating it stores the same. Rejects with `PortError`.
 */
export async function storeWithoutParts(
  blobs: Pick<BlobStore, 'get' | 'put'>,
  { blob, bytes, into }: { readonly blob: string; readonly bytes: number; readonly into: string },
  parts: readonly PrivatePart[],
): Promise<BlobFacts> {
  const content = await blobs.get(blob);
  const bare = overwriting(parts);
  const options = { maxBytes: bytes, freesPieces: true };
  const [facts] = await Promise.all([blobs.put(into, bare, options), pipeline(content, bare)]);
  return facts;
}

interface Stretch {
  readonly at: number;
  readonly end: number;
  readonly by: Buffer;
}

/** Passes bytes on, with the parts overwritten. A part that begins within the one before it is left out. */
export function overwriting(parts: readonly PrivatePart[]): Transform {
  const stretches: Stretch[] = [];
  for (const { at, bytes, by } of parts)
    if (at >= (stretches.at(-1)?.end ?? 0)) stretches.push({ at, end: at + bytes, by: Buffer.from(by, 'base64') });
  let offset = 0;
  let next = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = offset + chunk.length;
      let bare = chunk;
      while (next < stretches.length && stretches[next]!.at < end) {
        const stretch = stretches[next]!;
        // The chunk may be shared with a reader of the original.
        if (bare === chunk) bare = Buffer.from(chunk);
        overwrite(bare, offset, stretch);
        if (stretch.end > end) break;
        next += 1;
      }
      offset = end;
      done(null, bare);
    },
  });
}

function overwrite(chunk: Buffer, offset: number, { at, end, by }: Stretch): void {
  const [from, to] = [Math.max(at, offset), Math.min(end, offset + chunk.length)];
  chunk.fill(0, from - offset, to - offset);
  by.subarray(from - at, to - at).copy(chunk, from - offset);
}
