import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { TiktokCallOptions } from './publish-request.ts';
import type { UploadCall } from './calls.ts';
import { complete } from './processing.ts';
import type { ChunkedUpload, TiktokPublication } from './publications.ts';

const ADDRESS_LIFE_MS = 3_600_000;
const TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

/** The address alone allows its holder to upload. */
const tokenOf = (uploadId: string): string => BigInt(uploadId).toString(36).split('').reverse().join('');

export const uploadAddress = (baseUrl: string, uploadId: string): string =>
  `${baseUrl}/sim/tiktok/video/?upload_id=${uploadId}&upload_token=${tokenOf(uploadId)}`;

/** The publication whose upload the address names; null: it was not given out, or is cancelled. */
export function namedUpload({ query }: Incoming, { publications }: TiktokCallOptions): TiktokPublication | null {
  const uploadId = query.get('upload_id') ?? '';
  if (!/^\d{1,20}$/.test(uploadId) || query.get('upload_token') !== tokenOf(uploadId)) return null;
  const publication = publications.byUpload(uploadId);
  return publication?.failReason === 'publish_cancelled' ? null : publication;
}

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly total: number;
}

function rangeOf(request: Incoming): Range | null {
  const [, first, last, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(request.header('content-range')) ?? [];
  return first === undefined ? null : { from: Number(first), to: Number(last) + 1, total: Number(total) };
}

/** The chunk with the last byte is the one after which the video may be public. */
export function uploadCallOf(request: Incoming): UploadCall {
  const range = rangeOf(request);
  return range !== null && range.to < range.total ? 'video.upload_part' : 'video.upload';
}

/** Complete chunks: one that broke off counts for nothing. */
function chunksCame({ uploadId, chunkSize, chunks }: ChunkedUpload, { files }: TiktokCallOptions): number {
  return Math.min(Math.floor(files.size(uploadId) / chunkSize), chunks - 1);
}

/** Bytes of an unfinished upload. */
export const bytesCame = (upload: ChunkedUpload, options: TiktokCallOptions): number =>
  chunksCame(upload, options) * upload.chunkSize;

/**
 * PUT {upload_url}: chunks in order, each of the announced size; the last has the remainder. Its last byte starts the
 * processing.
 */
export function putChunk(
  request: Incoming,
  fault: Fault<NetworkFault> | null,
  options: TiktokCallOptions,
): SandboxAnswer {
  const publication = namedUpload(request, options);
  const now = options.clock.now();
  if (publication === null) return json(404, {});
  if (now - publication.createdAt >= ADDRESS_LIFE_MS) return json(403, {});
  const upload = publication.upload!;
  const { uploadId, size, chunkSize, chunks } = upload;
  const range = rangeOf(request);
  const isTyped = TYPES.includes(request.header('content-type').split(';')[0]!.trim().toLowerCase());
  const isSized =
    request.header('transfer-encoding') === '' && range !== null && range.to - range.from === request.bytes.length;
  if (!isTyped || !isSized || range.total !== size) return json(400, {});
  const rangeHeaders = (came: number) => ({ 'content-range': `bytes 0-${came}/${size}` });
  if (publication.files !== null) return json(416, {}, rangeHeaders(size));
  const index = chunksCame(upload, options);
  const came = index * chunkSize;
  if (range.from !== came) return json(416, {}, rangeHeaders(came));
  if (range.to !== (index === chunks - 1 ? size : came + chunkSize)) return json(400, {});
  options.files.write(uploadId, came, request.bytes);
  if (range.to < size) return json(206, {}, rangeHeaders(range.to));
  const fate = fault === null ? publication.fate : { fault: fault.fault, reason: fault.reason };
  complete({ ...publication, fate }, [options.files.seal(uploadId)], now, options);
  return json(201, {}, rangeHeaders(size));
}
