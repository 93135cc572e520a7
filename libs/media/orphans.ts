import { ASSET_BLOBS, assetOfBlob, originalBlob } from '#domain/media/blob-names.ts';
import type { BlobStore, ListedBlob } from '#ports/blob-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { TableStore } from '#ports/table-store.ts';
import { findAsset } from '#tables/repositories/assets.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';

export interface OrphanOptions {
  readonly blobs: BlobStore;
  readonly store: TableStore;
  readonly uploads: Pick<UploadRows, 'find'>;
  readonly reporter: Reporter;
}

export interface Orphan extends ListedBlob {
  /** For operators. */
  readonly why: 'no asset' | 'asset removed' | 'replaced';
}

export interface OrphanPage {
  readonly orphans: readonly Orphan[];
  /** Where to go on; null: all was looked at. */
  readonly next: string | null;
}

export interface OrphanRemoval {
  readonly removed: number;
  readonly bytes: number;
  /** Remains of puts that were cut off. */
  readonly unfinished: number;
}

/**
 * A blob is stored before anything names it; what is younger may yet be named. Longer than any upload or conversion
 * takes.
 */
export const SAFE_AGE_MS = 24 * 3_600_000;
const BLOBS_A_PAGE = 500;

/**
 * Blobs of assets that nothing names, among the next `limit` after `after`. Changes nothing. Rejects with `PortError`.
 */
export async function findOrphans(
  options: OrphanOptions,
  { after, limit = BLOBS_A_PAGE }: { readonly after: string | null; readonly limit?: number },
): Promise<OrphanPage> {
  const page = await options.blobs.list(ASSET_BLOBS, { after, limit });
  const orphans: Orphan[] = [];
  for (const [assetId, blobs] of Map.groupBy(
    page.filter(({ ageMs }) => ageMs > SAFE_AGE_MS),
    ({ name }) => assetOfBlob(name),
  )) {
    orphans.push(...(await orphansOf(assetId, blobs, options)));
  }
  return { orphans, next: page.length < limit ? null : page.at(-1)!.name };
}

/**
 * Removes what cut-off work left behind: puts that never ended, and blobs that nothing names. A removal that
 * fails is reported, and the next walk finds the blob again.
 */
export async function removeOrphans(options: OrphanOptions): Promise<OrphanRemoval> {
  const { blobs, reporter } = options;
  const unfinished = await blobs.removeUnfinished(SAFE_AGE_MS);
  let [count, bytes] = [0, 0];
  for (let after: string | null = null; ;) {
    const { orphans, next }: OrphanPage = await findOrphans(options, { after });
    for (const orphan of orphans) {
      await blobs.delete(orphan.name);
      reporter.report('orphan-removed', { blob: orphan.name, reason: orphan.why });
      count += 1;
      bytes += orphan.bytes;
    }
    if (next === null) break;
    after = next;
  }
  const removed = { removed: count, bytes, unfinished };
  reporter.report('orphan-scan-ended', removed);
  return removed;
}

async function orphansOf(
  assetId: string | null,
  blobs: readonly ListedBlob[],
  { store, uploads }: OrphanOptions,
): Promise<readonly Orphan[]> {
  const asset = assetId === null ? null : await findAsset(store, assetId);
  if (assetId === null || asset === null) return blobs.map((blob) => ({ ...blob, why: 'no asset' }));
  if (asset.state === 'removed') return blobs.map((blob) => ({ ...blob, why: 'asset removed' }));
  // What is made of a file goes with it: only originals are replaced.
  const originals = blobs.filter(({ name }) => name.startsWith(originalBlob(assetId, '')) && name !== asset.blob);
  if (originals.length === 0) return [];
  // Of a completed upload the asset's blob counts; until then, the one that arrived.
  const arrival = asset.blob === null ? await uploads.find(assetId) : null;
  const counts = arrival === null || arrival.state === 'gone' ? null : arrival.file.blob;
  return originals.filter(({ name }) => name !== counts).map((blob) => ({ ...blob, why: 'replaced' }));
}
