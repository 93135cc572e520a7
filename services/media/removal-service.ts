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
 * Deletes all blobs of assets that their Workspaces removed. A record is acknowledged only when no blob is left, so
 * that a crash repeats it. An asset that is not removed keeps its files, also if a record names it by mistake.
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
    reporter.report('asset-removal-ignored', { workspaceId, assetId });
    return;
  }
  // First: from here on a file that is still being uploaded can not come to count, and ingress deletes it when it has
  // arrived. Otherwise it could count after its blobs were listed.
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
  reporter.report('asset-files-removed', { workspaceId, assetId, blobs: count, bytes, reason: asset.removedFor });
}
