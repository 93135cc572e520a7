import type { MediaUrl } from '#domain/post/render.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Rendition, RenditionSource } from '#ports/rendition-source.ts';
import type { RenditionRows, StoredFile } from '#tables/repositories/renditions.ts';

export interface StoredRenditionsOptions {
  readonly rows: Pick<RenditionRows, 'filesOf'>;
  readonly blobs: BlobStore;
  readonly mediaUrl: MediaUrl;
}

/**
 * A Variant enters `publishing` only after its files were reported ready: if a replica does not have them yet, the
 * publisher asks again shortly.
 */
const ASK_AGAIN_MS = 5_000;

/** Where publishers get the files that the media service has made ready. */
export function createStoredRenditions({ rows, blobs, mediaUrl }: StoredRenditionsOptions): RenditionSource {
  const renditionOf = (file: StoredFile, altText: string, addressVersion: number): Rendition => {
    const { kind, contentType, bytes, sha256, width, height, durationMs, blob } = file;
    return {
      kind,
      contentType,
      bytes,
      sha256,
      width,
      height,
      durationMs,
      altText,
      url: mediaUrl({ ...file, addressVersion }),
      read: (from, to) => readRange(blobs, blob, from, to),
    };
  };
  return {
    async filesOf({ postId, variantId, altTexts, hasCover, addressVersion = 0 }) {
      if (altTexts.length === 0) return { kind: 'ready', files: [] };
      const stored = await rows.filesOf(postId, variantId);
      if (stored === null || stored.files.length !== altTexts.length || (hasCover && stored.cover === null))
        return { kind: 'pending', delayMs: ASK_AGAIN_MS };
      const { files, cover } = stored;
      return {
        kind: 'ready',
        files: files.map((file, index) => renditionOf(file, altTexts[index]!, addressVersion)),
        ...(cover === null ? {} : { cover: renditionOf(cover, '', addressVersion) }),
      };
    },
  };
}

async function readRange(blobs: BlobStore, blob: string, from: number, to: number): Promise<Uint8Array> {
  if (to <= from) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  for await (const piece of await blobs.get(blob, { start: from, end: to - 1 })) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}
