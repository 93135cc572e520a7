import { Readable } from 'node:stream';
import type { Asset } from '#domain/media/asset.ts';
import { bareBlob, fetchedBlob } from '#domain/media/blob-names.ts';
import { MAX_FILE_BYTES } from '#domain/media/file-facts.ts';
import { inSlices } from '#concurrency/in-slices.ts';
import { storeWithoutParts } from '#media/overwrite-parts.ts';
import type { PrivatePart } from '#ports/media-tools.ts';
import { sendCommand } from '#commands/send-command.ts';
import { FETCHED, type StoredFile } from '#tables/repositories/renditions.ts';
import type { JobContext } from './dependencies.ts';
import { abortWhenAbandoned } from './abandonment.ts';
import { isUnwritten, orDelete } from './or-delete.ts';

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
  const { blobs, ids, fetchAddress, signal, clock, reporter, slices } = context;
  const { url, workspaceId } = asset;
  if (url === null) throw new Error(`asset ${asset.id} has neither a blob nor an address`);
  const blob = fetchedBlob(asset.id, ids.uuid7(clock.now()));
  const from = clock.monotonic();
  const options = { maxBytes: MAX_FILE_BYTES, freesPieces: true };
  const into = (content: Readable) => blobs.put(blob, Readable.from(inSlices(content, slices, workspaceId)), options);
  const fetched = await fetchAddress({ url, expected: asset.announced, into, signal });
  reporter.report('file-fetch-ended', { outcome: fetched.kind, durationMs: clock.monotonic() - from });
  if (fetched.kind !== 'fetched') return { kind: fetched.kind === 'changed' ? 'lost' : 'away', detail: fetched.detail };
  return keepFetched(context, asset.id, { ...fetched, blob });
}

/** Looks into a file that was fetched, and writes its row. Where that fails the next try fetches it again. */
async function keepFetched(
  { blobs, pools, rows, tools, signal, marked, scratch, post: { workspaceId } }: JobContext,
  assetId: string,
  { blob, bytes, sha256 }: Pick<StoredFile, 'blob' | 'bytes' | 'sha256'>,
): Promise<FetchedFile> {
  const stored = [blob];
  const look = () => scratch.withSource(blob, (path) => marked(() => tools.probe({ workspaceId, path, signal })));
  const file = await orDelete(blobs, stored, async () => {
    const probed = await pools.probes.run({ workspace: workspaceId }, look, signal);
    if (probed.kind !== 'known') return probed;
    const { facts, privateParts } = probed;
    if (privateParts.length > 0) stored.push(bareBlob(blob));
    return withoutParts(blobs, { ...facts, bytes, sha256, blob }, privateParts);
  });
  const kept =
    'blob' in file ? await orDelete(blobs, stored, () => rows.keep(assetId, FETCHED, file), isUnwritten) : null;
  for (const name of stored) if (name !== kept?.blob) await blobs.delete(name);
  return 'blob' in file ? { kind: 'here', file: kept! } : { kind: 'lost', detail: file.words };
}

/** What the file says beside what it shows is kept nowhere. */
async function withoutParts(
  blobs: JobContext['blobs'],
  file: StoredFile,
  parts: readonly PrivatePart[],
): Promise<StoredFile> {
  if (parts.length === 0) return file;
  const { blob, bytes } = file;
  const bare = bareBlob(blob);
  const { sha256 } = await storeWithoutParts(blobs, { blob, bytes, into: bare }, parts);
  return { ...file, sha256, blob: bare };
}
