/**
 * All blobs of an asset have one prefix, so that removing an asset is removing a prefix, whichever process wrote the
 * blobs. Every file has a name of its own (`id`), and the bytes under a name never change.
 */
export const ASSET_BLOBS = 'assets/';

export function blobsOf(assetId: string): string {
  return `${ASSET_BLOBS}${assetId}/`;
}

/** A file as a Member gave it. */
export function originalBlob(assetId: string, id: string): string {
  return `${blobsOf(assetId)}original/${id}`;
}

/** The copy of a given file without its private parts. */
export function bareBlob(blob: string): string {
  return `${blob}-bare`;
}

/** The asset that a blob belongs to; null: none. */
export function assetOfBlob(blob: string): string | null {
  const [room, assetId, ...rest] = blob.split('/');
  return `${room}/` === ASSET_BLOBS && assetId !== undefined && rest.length > 0 ? assetId : null;
}

/** A file as an address had it. */
export function fetchedBlob(assetId: string, id: string): string {
  return `${blobsOf(assetId)}fetched/${id}`;
}

/** A rendition of a file. */
export function renditionBlob(assetId: string, id: string): string {
  return `${blobsOf(assetId)}made/${id}`;
}
