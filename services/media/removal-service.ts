import { blobsOf } from '#domain/media/blob-names.ts';
import type { RemoveFiles } from '#messages/messages.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#consumer/workload.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { MEDIA_REMOVALS } from '#tables/declarations/topics.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';

export interface RemovalOptions extends ConsumerPorts {
  readonly blobs: Pick<BlobStore, 'list' | 'delete'>;
  readonly uploads: Pick<UploadRows, 'abandon'>;
}

const ASSETS_AT_ONCE = 4;
const BLOBS_A_PAGE = 100;

/**
 * Deletes whatever is stored of assets that their Workspaces removed. Acknowledged only when nothing is left, so that a
 * crash repeats it; an asset that is not removed, by whatever mistake it is named here, keeps its files.
 */
export function createRemovalService(options: RemovalOptions): Service & Workload {
  return createTopicConsumer(
    {
      name: 'media-removals',
      topic: MEDIA_REMOVALS,
      maxBatch: 16,
      concurrency: ASSETS_AT_ONCE,
      handle: oneByOne((message) => remove(message, options)),
    },
    options,
  );
}

async function remove(
  { workspaceId, assetId }: RemoveFiles,
  { store, blobs, uploads, reporter }: RemovalOptions,
): Promise<void> {
  const asset = await readAsset(store, workspaceId, assetId);
  if (asset?.state !== 'removed') {
    reporter.report('removal-ignored', { workspaceId, assetId });
    return;
  }
  // First: a file that is still on its way can't come to count after its blobs were looked for, and is then deleted by
  // who received it.
  if (asset.origin === 'upload') await uploads.abandon(assetId);
  let [count, bytes, page] = [0, 0, BLOBS_A_PAGE];
  while (page === BLOBS_A_PAGE) {
    const found = await blobs.list(blobsOf(assetId), { after: null, limit: BLOBS_A_PAGE });
    for (const blob of found) {
      await blobs.delete(blob.name);
      bytes += blob.bytes;
    }
    page = found.length;
    count += page;
  }
  reporter.report('files-removed', { workspaceId, assetId, blobs: count, bytes, reason: asset.removedFor });
}
