import type { Readable } from 'node:stream';
import type { Asset } from '#domain/media/asset.ts';
import { fetchedBlob } from '#domain/media/blob-names.ts';
import { MAX_FILE_BYTES } from '#domain/media/file-facts.ts';
import { sendCommand } from '#commands/send-command.ts';
import { FETCHED, type StoredFile } from '#tables/repositories/renditions.ts';
import type { JobContext } from './dependencies.ts';
import { abortWhenAbandoned } from './abandonment.ts';

export type FetchedFile =
  | { readonly kind: 'here'; readonly file: StoredFile }
  /** It will never be again as it was when the Post was made; `detail` is for a person, as below. */
  | { readonly kind: 'lost'; readonly detail: string }
  /** It can not be read now. */
  | { readonly kind: 'away'; readonly detail: string };

/**
 * The bytes of an asset, in the store. Those of an upload are there; an address is fetched once, however often this is
 * begun anew. A fetched file has its row before it is reported to the Workspace. Rejects with `PortError`.
 */
export async function fetchFile(context: JobContext, asset: Asset): Promise<FetchedFile> {
  if (asset.state === 'removed') return { kind: 'lost', detail: 'A file of this Post is not kept any more.' };
  if (asset.facts !== null && asset.blob !== null) return { kind: 'here', file: { ...asset.facts, blob: asset.blob } };
  const known = await context.rows.find(asset.id, FETCHED);
  const fetch = (): Promise<FetchedFile> => abortWhenAbandoned(context, (watched) => fetchAsset(watched, asset));
  const fetched: FetchedFile =
    known === null
      ? await context.pools.fetches.run({ workspace: context.post.workspaceId }, fetch, context.signal)
      : { kind: 'here', file: known };
  if (fetched.kind !== 'here' || asset.postId === null) return fetched;
  const { blob, ...facts } = fetched.file;
  await sendCommand(context, {
    type: 'FileFetched',
    workspaceId: asset.workspaceId,
    postId: asset.postId,
    assetId: asset.id,
    facts,
    blob,
  });
  return fetched;
}

async function fetchAsset(context: JobContext, asset: Asset): Promise<FetchedFile> {
  const { blobs, ids, rows, tools, fetchAddress, signal, marked, clock, reporter, scratch } = context;
  if (asset.url === null) throw new Error(`asset ${asset.id} has neither a blob nor an address`);
  const blob = fetchedBlob(asset.id, ids.uuid7(clock.now()));
  const from = clock.monotonic();
  const into = (content: Readable) => blobs.put(blob, content, { maxBytes: MAX_FILE_BYTES });
  const fetched = await fetchAddress({ url: asset.url, expected: asset.announced, into, signal });
  reporter.report('file-fetch-ended', { outcome: fetched.kind, durationMs: clock.monotonic() - from });
  if (fetched.kind !== 'fetched') return { kind: fetched.kind === 'changed' ? 'lost' : 'away', detail: fetched.detail };
  const probe = async () => {
    const path = await scratch.sourceOf(blob);
    return marked(() => tools.probe({ path, signal }));
  };
  const probed = await probe().catch(async (error: unknown) => {
    // The next try fetches it again, under another name.
    if (signal.aborted) await blobs.delete(blob);
    throw error;
  });
  if (probed.kind !== 'known') {
    await blobs.delete(blob);
    return { kind: 'lost', detail: probed.words };
  }
  const file: StoredFile = { ...probed.facts, bytes: fetched.bytes, sha256: fetched.sha256, blob };
  const kept = await rows.keep(asset.id, FETCHED, file);
  if (kept.blob !== blob) await blobs.delete(blob);
  return { kind: 'here', file: kept };
}
