import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { assetOfBlob } from '#domain/media/blob-names.ts';
import { goodAddresses } from '#domain/post/post.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { AssetReader, PostReader } from '#use-cases/dependencies.ts';
import type { MediaFile } from '#media/media-addresses.ts';
import type { FileOwners } from './file-owners.ts';

export interface ServedFilesOptions {
  readonly fileOwners: Pick<FileOwners, 'ofAsset'>;
  readonly assets: AssetReader;
  readonly posts: Pick<PostReader, 'read'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Whether the address of a file is still good. Never rejects. */
export type IsServed = (file: Pick<MediaFile, 'blob' | 'addressVersion'>) => Promise<boolean>;

const MAX_REMEMBERED = 10_000;
/** A burst of readers of one file is one look at the store, and what a Member makes void is so after so long. */
const REMEMBERED_MS = 2_000;

interface Look {
  /** The version of addresses that is good; null: none is. */
  readonly good: number | null;
  readonly at: number;
}

/**
 * An address is void once its upload was removed, its Post was cancelled as a whole, or a Member made the addresses of
 * the Post void; those of the version after that are good while Networks need them. Where the store is away, what was
 * known last counts, and else the address does: a Network may be fetching.
 */
export function createServedFiles({ fileOwners, assets, posts, clock }: ServedFilesOptions): IsServed {
  const known = createBoundedMap<string, Look>(MAX_REMEMBERED);
  const look = async (assetId: string): Promise<number | null> => {
    const asset = await assets(await fileOwners.ofAsset(assetId), assetId);
    if (asset === null) return 0;
    if (asset.state === 'removed') return null;
    const post = asset.postId === null ? null : await posts.read(asset.workspaceId, asset.postId);
    return post === null ? 0 : goodAddresses(post);
  };
  return async ({ blob, addressVersion = 0 }) => {
    // A later version than the one that was found was given out by a process that knew more.
    const holds = (good: number | null): boolean => good !== null && addressVersion >= good;
    const assetId = assetOfBlob(blob);
    if (assetId === null) return true;
    const now = clock.monotonic();
    const before = known.get(assetId);
    if (before !== undefined && now - before.at < REMEMBERED_MS) return holds(before.good);
    try {
      const good = await look(assetId);
      known.set(assetId, { good, at: now });
      return holds(good);
    } catch (error) {
      if (error instanceof PortError) return before === undefined || holds(before.good);
      throw error;
    }
  };
}
