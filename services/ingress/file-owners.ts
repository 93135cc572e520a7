import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { assetOfBlob } from '#domain/media/blob-names.ts';
import { PortError } from '#ports/errors.ts';
import type { FindAssetOwner } from './dependencies.ts';

const MAX_REMEMBERED = 10_000;

/** The Workspace in whose share of a semaphore a file counts. */
export interface FileOwners {
  ofAsset(assetId: string): Promise<string>;
  ofBlob(blob: string): Promise<string>;
}

/**
 * Caches the owner of an asset, which never changes. Where the owner can not be read, because the store is away or the
 * asset is gone, the asset itself is the holder: its file can still be read from the blob store, and no single asset
 * takes all slots.
 */
export function createFileOwners(find: FindAssetOwner): FileOwners {
  const known = createBoundedMap<string, string>(MAX_REMEMBERED);
  const ofAsset = async (assetId: string): Promise<string> => {
    const remembered = known.get(assetId);
    if (remembered !== undefined) return remembered;
    const owner = await find(assetId).catch((error: unknown) => {
      if (error instanceof PortError) return null;
      throw error;
    });
    if (owner === null) return assetId;
    known.set(assetId, owner);
    return owner;
  };
  return {
    ofAsset,
    ofBlob: async (blob) => {
      const assetId = assetOfBlob(blob);
      return assetId === null ? blob : ofAsset(assetId);
    },
  };
}
