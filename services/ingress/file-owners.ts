import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { assetOfBlob } from '#domain/media/blob-names.ts';
import { PortError } from '#ports/errors.ts';
import type { FindAssetOwner } from './dependencies.ts';

const MAX_REMEMBERED = 10_000;

/** Which Workspace's share of places a file takes. */
export interface FileOwners {
  ofAsset(assetId: string): Promise<string>;
  ofBlob(blob: string): Promise<string>;
}

/**
 * Remembers whose an asset is, which never changes. Where that can't be told, for the store is away or the asset is
 * gone, the asset stands for its Workspace: a file that is kept elsewhere can still be read, and one asset alone never
 * takes all places.
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
