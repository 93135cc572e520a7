import { visitBodies } from '#adapters/sqlite/snapshot.ts';
import type { Asset } from '#domain/media/asset.ts';
import { assetOfBlob } from '#domain/media/blob-names.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { ASSETS, RENDITIONS, UPLOADS } from '#tables/declarations/tables.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import type { UploadArrival } from '#tables/repositories/uploads.ts';
import { decodeBody } from '#tables/rows/body.ts';

/** How many of the missing files are named. */
const MOST_NAMED = 3;

export interface FileCount {
  readonly named: number;
  /** Of those named: how many were looked for. */
  readonly looked: number;
  readonly missing: number;
  /** The first few that are missing. */
  readonly examples: readonly string[];
}

/**
 * The files that the rows of a database name for assets that are not removed, and which of them the store has not.
 * Pictures of accounts are left out: they are copied again. `isOver`: no more files are looked for.
 * Rejects with `PortError`.
 */
export async function countFiles(
  database: string,
  blobs: Pick<BlobStore, 'head'> | null,
  isOver: () => boolean = () => false,
): Promise<FileCount> {
  const names = namesOfFiles(database);
  let missing = 0;
  let looked = 0;
  const examples: string[] = [];
  for (const name of names) {
    if (isOver()) break;
    looked += 1;
    if (blobs !== null && (await blobs.head(name)) !== null) continue;
    missing += 1;
    if (examples.length < MOST_NAMED) examples.push(name);
  }
  return { named: names.size, looked, missing, examples };
}

function namesOfFiles(database: string): ReadonlySet<string> {
  const names = new Set<string>();
  const removed = new Set<string>();
  visitBodies(database, ASSETS.name, (row) => {
    const asset = decodeBody<Asset>(row);
    if (asset?.state === 'removed') removed.add(asset.id);
    else if (asset?.blob) names.add(asset.blob);
  });
  const add = (blob: string): void => {
    if (!removed.has(assetOfBlob(blob) ?? '')) names.add(blob);
  };
  visitBodies(database, RENDITIONS.name, (row) => {
    const file = decodeBody<StoredFile>(row);
    if (file !== null) add(file.blob);
  });
  visitBodies(database, UPLOADS.name, (row) => {
    const arrival = decodeBody<UploadArrival>(row);
    if (arrival !== null && arrival.state !== 'gone') add(arrival.file.blob);
  });
  return names;
}
