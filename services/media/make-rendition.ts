import { renditionBlob } from '#domain/media/blob-names.ts';
import type { AcceptedType } from '#domain/media/file-facts.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import type { ConvertResult, ConvertRequest, MediaRefusal, MissingTool } from '#ports/media-tools.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import type { JobContext } from './dependencies.ts';
import { abortWhenAbandoned } from './abandonment.ts';
import { isUnwritten, orDelete } from './or-delete.ts';

export type RenditionResult = { readonly kind: 'made'; readonly file: StoredFile } | MediaRefusal | MissingTool;

/** An asset whose bytes are in the store. */
export interface RenditionInput {
  readonly assetId: string;
  readonly file: StoredFile;
}

/**
 * The rendition of a source for a target. It is made once: one that any process made before is found by its row. Its
 * bytes are in the store before its row is written. Of two that are made at once one row counts, and the bytes of the
 * other are deleted. Rejects with `PortError`.
 */
export async function makeRendition(
  context: JobContext,
  { assetId, file }: RenditionInput,
  target: Target,
): Promise<RenditionResult> {
  const { rows, conversions, signal, clock, reporter, post, scratch } = context;
  const key = renditionKey(target);
  const known = await rows.find(assetId, key);
  if (known !== null) return { kind: 'made', file: known };
  const into = (): Promise<string> => scratch.path(`${assetId}-${key}`);
  const asked = clock.monotonic();
  const convert = async () => {
    const begun = clock.monotonic();
    const answer = await abortWhenAbandoned(context, async (watched) =>
      convertFile(watched, file, { target, into: await into() }),
    );
    return { converted: answer, waitMs: begun - asked, tookMs: clock.monotonic() - begun };
  };
  // A file that stays as it is needs no cores.
  const { converted, waitMs, tookMs } = await (target.kind === 'original'
    ? convert()
    : conversions.run({ kind: file.kind, workspace: post.workspaceId }, convert, signal));
  const outcome = converted.kind === 'converted' ? (converted.reused ? 'reused' : 'converted') : converted.kind;
  reporter.report('rendition-ended', { outcome, kind: file.kind, waitMs, durationMs: tookMs });
  if (converted.kind !== 'converted') return converted;
  if (converted.reused) return { kind: 'made', file: await rows.keep(assetId, key, file) };
  const { contentType, bytes, sha256, width, height, durationMs } = converted;
  const blob = renditionBlob(assetId, context.ids.uuid7(clock.now()));
  await orDelete(context.blobs, [blob], async () => {
    await context.blobs.put(blob, context.disk.read(await into()), { maxBytes: bytes, freesPieces: true });
    await context.disk.remove(await into());
  });
  const made: StoredFile = {
    kind: target.kind === 'still' ? 'image' : file.kind,
    contentType: contentType as AcceptedType,
    bytes,
    sha256,
    width,
    height,
    durationMs,
    blob,
  };
  const kept = await orDelete(context.blobs, [blob], () => rows.keep(assetId, key, made), isUnwritten);
  if (kept.blob !== blob) await context.blobs.delete(blob);
  return { kind: 'made', file: kept };
}

type Order = Pick<ConvertRequest, 'target' | 'into'>;

async function convertFile(
  { tools, signal, marked, scratch, post: { workspaceId } }: JobContext,
  { blob, ...facts }: StoredFile,
  order: Order,
): Promise<ConvertResult> {
  const convert = (path: string) =>
    marked(() => tools.convert({ workspaceId, source: { path, facts }, ...order, signal }));
  // What stays as it is is not opened, and waits for no permit.
  return order.target.kind === 'original' ? convert('') : scratch.withSource(blob, convert);
}
