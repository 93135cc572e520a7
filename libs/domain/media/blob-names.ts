/**
 * Whatever is stored of an asset lies below one name, so that removing an asset is removing all of that, whoever put it
 * there. Every file has a name of its own (`id`): what a name stands for never changes.
 */
export const ASSET_BLOBS = 'assets/';

export function blobsOf(assetId: string): string {
  return `${ASSET_BLOBS}${assetId}/`;
}

/** A file as a Member gave it. */
export function originalBlob(assetId: string, id: string): string {
  return `${blobsOf(assetId)}original/${id}`;
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

/** What was made of a file. */
export function renditionBlob(assetId: string, id: string): string {
  return `${blobsOf(assetId)}made/${id}`;
}
