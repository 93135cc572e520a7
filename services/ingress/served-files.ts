import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { assetOfBlob } from '#domain/media/blob-names.ts';
import { hasUsableFiles } from '#domain/post/post.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { AssetReader, PostReader } from '#use-cases/dependencies.ts';
import type { FileOwners } from './file-owners.ts';

export interface ServedFilesOptions {
  readonly fileOwners: Pick<FileOwners, 'ofAsset'>;
  readonly assets: AssetReader;
  readonly posts: Pick<PostReader, 'read'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Whether the address of a file is still good. Never rejects. */
export type IsServed = (blob: string) => Promise<boolean>;

const MAX_REMEMBERED = 10_000;
/** A burst of readers of one file is one look at the store, and a cancel is in force after so long. */
const REMEMBERED_MS = 2_000;

interface Look {
  readonly isServed: boolean;
  readonly at: number;
}

/**
 * An address is void once its upload was removed, or nothing of its Post is to be published any more: a Member who
 * cancels takes the files back. Where the store is away, what was known last counts, and else the address does: a
 * Network may be fetching.
 */
export function createServedFiles({ fileOwners, assets, posts, clock }: ServedFilesOptions): IsServed {
  const known = createBoundedMap<string, Look>(MAX_REMEMBERED);
  const look = async (assetId: string): Promise<boolean> => {
    const asset = await assets(await fileOwners.ofAsset(assetId), assetId);
    if (asset === null) return true;
    if (asset.state === 'removed') return false;
    const post = asset.postId === null ? null : await posts.read(asset.workspaceId, asset.postId);
    return post === null || hasUsableFiles(post);
  };
  return async (blob) => {
    const assetId = assetOfBlob(blob);
    if (assetId === null) return true;
    const now = clock.monotonic();
    const before = known.get(assetId);
    if (before !== undefined && now - before.at < REMEMBERED_MS) return before.isServed;
    try {
      const isServed = await look(assetId);
      known.set(assetId, { isServed, at: now });
      return isServed;
    } catch (error) {
      if (error instanceof PortError) return before?.isServed ?? true;
      throw error;
    }
  };
}
