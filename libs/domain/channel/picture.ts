/** Of the copies that are served. */
export const PICTURE_TYPE = 'image/jpeg';

/** Pictures of accounts do not belong to an asset: they stand apart from the files of Posts. */
export const PICTURE_BLOBS = 'pictures/';

/**
 * The copy of a Channel's picture that was asked for at `askedAt`, made of bytes with this SHA-256. No two orders have
 * one name: a copy that is removed is never one that a later order stored. An order that is carried out twice stores
 * the same name again.
 */
export function pictureBlob(channelId: string, askedAt: number, sha256: string): string {
  return `${PICTURE_BLOBS}${channelId}/${askedAt}-${sha256}`;
}

/** The SHA-256 of the bytes that a copy was made of. */
export function sourceOfPicture(blob: string): string {
  return blob.slice(blob.lastIndexOf('-') + 1);
}
