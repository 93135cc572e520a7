import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { renditionBlob } from '#domain/media/blob-names.ts';
import type { AcceptedType } from '#domain/media/file-facts.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import type { Post } from '#domain/post/post.ts';
import type { Converted, ConvertRequest, Refused, Unable } from '#ports/media-tools.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import type { Workshop } from './dependencies.ts';
import type { Scratch } from './scratch.ts';
import { whileWaitedFor } from './while-waited-for.ts';

export type Made = { readonly kind: 'made'; readonly file: StoredFile } | Refused | Unable;

/** An asset whose bytes are in the store. */
export interface Source {
  readonly assetId: string;
  readonly file: StoredFile;
}

/**
 * What the target asks for, made of the source: found when it was made before, by whatever process. Its bytes are in the store before
 * its row says so; of two who make it at once one counts, and the other's bytes go. Rejects with `PortError`.
 */
export async function makeRendition(workshop: Workshop, scratch: Scratch, post: Post, { assetId, file }: Source, target: Target): Promise<Made> {
  const { rows, lanes, signal, clock, reporter } = workshop;
  const key = renditionKey(target);
  const known = await rows.find(assetId, key);
  if (known !== null) return { kind: 'made', file: known };
  const into = (): Promise<string> => scratch.path(`${assetId}-${key}`);
  const asked = clock.monotonic();
  const convert = async () => {
    const begun = clock.monotonic();
    const answer = await whileWaitedFor(workshop, post, async (watched) => convertFile(watched, scratch, file, { target, into: await into() }));
    return { converted: answer, waitedMs: begun - asked, tookMs: clock.monotonic() - begun };
  };
  // What stays as it is costs nothing to tell.
  const lane = file.kind === 'video' ? lanes.videos : lanes.pictures;
  const { converted, waitedMs, tookMs } = await (target.kind === 'original' ? convert() : lane.run(post.workspaceId, convert, signal));
  const outcome = converted.kind === 'converted' ? (converted.reused ? 'reused' : 'converted') : converted.kind;
  reporter.report('rendition-made', { outcome, file: file.kind, waitedMs, tookMs });
  if (converted.kind !== 'converted') return converted;
  if (converted.reused) return { kind: 'made', file: await rows.keep(assetId, key, file) };
  const { contentType, bytes, sha256, width, height, durationMs } = converted;
  const blob = renditionBlob(assetId, workshop.ids.uuid7(clock.now()));
  await workshop.blobs.put(blob, createReadStream(await into()), { maxBytes: bytes });
  await rm(await into(), { force: true });
  const made: StoredFile = { kind: file.kind, contentType: contentType as AcceptedType, bytes, sha256, width, height, durationMs, blob };
  const kept = await rows.keep(assetId, key, made);
  if (kept.blob !== blob) await workshop.blobs.delete(blob);
  return { kind: 'made', file: kept };
}

type Order = Pick<ConvertRequest, 'target' | 'into'>;

async function convertFile({ tools, signal, marked }: Workshop, scratch: Scratch, { blob, ...facts }: StoredFile, order: Order): Promise<Converted> {
  const path = await scratch.sourceOf(blob);
  return marked(() => tools.convert({ source: { path, facts }, ...order, signal }));
}
