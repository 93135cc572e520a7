import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Channel } from '#domain/channel/channel.ts';
import { pictureBlob, sourceOfPicture } from '#domain/channel/picture.ts';
import type { ImageTarget } from '#domain/media/target.ts';
import { sendCommand } from '#commands/send-command.ts';
import type { CopyPicture } from '#messages/messages.ts';
import { pictureTimer } from '#outbox/picture-messages.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { MediaRefusal, MediaTools, MissingTool } from '#ports/media-tools.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { fetchPicture, type FetchedPicture } from './fetch-picture.ts';
import { Scratch } from './scratch.ts';

export interface CopyPictureOptions extends TimerOptions {
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly tools: Pick<MediaTools, 'probe' | 'convert'>;
  /** Fetches from addresses that Networks named. */
  readonly http: PublicHttp;
  readonly reporter: Reporter;
  readonly disk: ScratchDisk;
  /** A folder of this process alone. */
  readonly scratchFolder: string;
  /** Aborted when this process ends. */
  readonly signal: AbortSignal;
}

/** Waits before an address that could not be reached is asked again; after the last one the next upkeep asks. */
const FETCH_AGAIN_MS = [60_000, 600_000, 3_600_000] as const;
const MAX_SIDE = 400;
const MAX_COPY_BYTES = 200_000;
const QUALITIES = [85, 70, 50, 30];

/**
 * Copies the picture that a Network shows of a Channel's account, which the Network serves for some days only. The copy
 * is decoded and made anew, so that nothing of what a stranger's file holds is served. It is stored before it is
 * reported. A crash in between repeats the order, which stores the same name again. Rejects with `PortError`.
 */
export async function copyPicture(order: CopyPicture, options: CopyPictureOptions): Promise<void> {
  const { workspaceId, channelId, connectedAt } = order;
  const channel = (await readChannels(options.store, workspaceId))[channelId];
  if (channel?.connectedAt !== connectedAt || channel.state === 'not_connected') return;
  const fetched = await fetchPicture(options.http, order.url, options.signal);
  const outcome = fetched.kind === 'fetched' ? await keep(order, channel, fetched, options) : fetched;
  const detail = 'detail' in outcome ? outcome.detail : 'words' in outcome ? outcome.words : '';
  options.reporter.report('picture-copy-ended', { workspaceId, channelId, outcome: outcome.kind, detail });
  const waitMs = FETCH_AGAIN_MS[order.tries];
  if (outcome.kind !== 'unreachable' || waitMs === undefined) return;
  await setTimers(options, [pictureTimer({ ...order, tries: order.tries + 1 }, options.clock.now() + waitMs)]);
}

type Kept = { readonly kind: 'copied' | 'unchanged' } | MediaRefusal | MissingTool;

async function keep(
  { workspaceId, channelId, connectedAt, askedAt }: CopyPicture,
  { picture }: Channel,
  { bytes, contentType }: Extract<FetchedPicture, { kind: 'fetched' }>,
  options: CopyPictureOptions,
): Promise<Kept> {
  const { blobs, tools, signal, disk, scratchFolder } = options;
  const sha256 = hash('sha256', bytes, 'hex');
  if (picture !== undefined && sourceOfPicture(picture.blob) === sha256) return { kind: 'unchanged' };
  await using scratch = new Scratch(disk, scratchFolder, `${channelId}-${askedAt}`, blobs);
  const [path, into] = [await scratch.path('picture'), await scratch.path('copy')];
  await disk.write(path, Readable.from([bytes]));
  const probed = await tools.probe({ workspaceId, path, signal });
  if (probed.kind !== 'known') return probed;
  const facts = { ...probed.facts, contentType, bytes: bytes.length, sha256 };
  const source = { path, facts };
  const target = targetOf(probed.facts);
  const converted = await tools.convert({ workspaceId, source, target, into, signal });
  if (converted.kind !== 'converted') return converted;
  const blob = pictureBlob(channelId, askedAt, sha256);
  await blobs.put(blob, disk.read(converted.reused ? path : into), { maxBytes: MAX_COPY_BYTES });
  await sendCommand(options, { type: 'PictureCopied', workspaceId, channelId, connectedAt, askedAt, blob });
  return { kind: 'copied' };
}

/** The whole picture, within a square; it is not made larger. */
function targetOf({ width, height }: { readonly width: number; readonly height: number }): ImageTarget {
  const factor = Math.min(1, MAX_SIDE / Math.max(width, height));
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
  return {
    kind: 'image',
    format: 'jpeg',
    qualities: QUALITIES,
    canvas: size,
    picture: size,
    background: 'white',
    maxBytes: MAX_COPY_BYTES,
  };
}
