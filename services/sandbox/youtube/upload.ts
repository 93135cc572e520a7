import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import type { SessionCall } from './calls.ts';
import {
  badParameter,
  badRequest,
  badVideo,
  missingParameter,
  parseError,
  plain,
  quotaExceeded,
  signupRequired,
  uploadLimit,
} from './errors.ts';
import { readMetadata } from './metadata.ts';
import { NO_CHANNEL } from './oauth.ts';
import { complete } from './processing.ts';
import { videoResource } from './resources.ts';
import type { UploadSession } from './videos.ts';

const SESSION_LIFE_MS = 7 * 24 * 3_600_000;
/** Chunks except the last are multiples of it, and only such multiples are stored. */
const GRAIN_BYTES = 262_144;
const MAX_BYTES = 256 * 1_073_741_824;
const PARTS = ['snippet', 'status', 'contentDetails', 'recordingDetails', 'localizations', 'id'];

/** The problem with the query and the headers of a start; null: none. */
function refuseStart({ request, query }: UploadRequest): SandboxAnswer | null {
  if (query.get('uploadType') !== 'resumable')
    return badParameter('invalidParameter', 'uploadType', query.get('uploadType') ?? '');
  const parts = (query.get('part') ?? '').split(',').map((part) => part.trim());
  if (!query.has('part')) return missingParameter('part');
  if (!parts.every((part) => PARTS.includes(part))) return badParameter('unexpectedPart', 'part', query.get('part')!);
  if (!['true', 'false', null].includes(query.get('notifySubscribers')))
    return badParameter('invalidParameter', 'notifySubscribers', query.get('notifySubscribers')!);
  if (!/^application\/json\b/i.test(request.header('content-type')))
    return badRequest('The metadata must be application/json.');
  return request.json() === undefined ? parseError() : null;
}

/**
 * POST /upload/youtube/v3/videos?uploadType=resumable: the video's metadata, answered with an address for its bytes.
 */
export function startUpload(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const { request, account, fault, now } = call;
  if (account.kind === NO_CHANNEL) return signupRequired();
  const refused = refuseStart(call);
  if (refused !== null) return refused;
  const metadata = readMetadata(request.json(), call.query);
  if ('headers' in metadata) return metadata;
  const size = Number(request.header('x-upload-content-length') || 'none');
  const isVideo = /^(video\/[\w.+-]+|application\/octet-stream)$/.test(request.header('x-upload-content-type'));
  if (!isVideo || !Number.isSafeInteger(size) || size < 1 || size > MAX_BYTES)
    return badVideo('mediaBodyRequired', 'The request does not include the video content.');
  if (options.quota.used(account.accountId, now) >= options.limits.get('uploadsPerChannel')) return uploadLimit();
  if (options.quota.used('inserts', now) >= options.limits.get('insertsPerDay')) return quotaExceeded();
  options.quota.use('inserts', now);
  const sessionId = options.files.open();
  const fate = fault === null ? null : { fault: fault.fault, reason: fault.reason };
  options.videos.putSession({
    sessionId,
    accountId: account.accountId,
    metadata,
    size,
    createdAt: now,
    fate,
    videoId: null,
    gone: null,
  });
  const location = `${options.baseUrl()}/sim/youtube/upload/youtube/v3/videos?uploadType=resumable&upload_id=${sessionId}`;
  return plain(200, '', { location, 'x-guploader-uploadid': sessionId });
}

interface Bytes {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly total: number;
}

/**
 * The meaning of a PUT with this Content-Range: the question how many bytes arrived (`total` null: not stated), or
 * bytes; null: it can't be parsed.
 */
function readRange(request: Incoming): Bytes | { readonly question: number | null } | null {
  const range = request.header('content-range');
  const length = request.bytes.length;
  if (range === '') return { from: 0, to: length, total: length };
  const [, call] = /^bytes \*\/(\d{1,15}|\*)$/.exec(range) ?? [];
  if (call !== undefined) return length === 0 ? { question: call === '*' ? null : Number(call) } : null;
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(range) ?? [];
  if (first === undefined || Number(last) - Number(first) + 1 !== length) return null;
  return { from: Number(first), to: Number(last) + 1, total: Number(total) };
}

/** The PUT with the last byte is the one after which the video may be public. */
export function sessionCallOf(request: Incoming): SessionCall {
  const range = readRange(request);
  if (range === null || !('question' in range))
    return range !== null && range.to < range.total ? 'videos.upload_part' : 'videos.upload';
  return 'videos.upload_status';
}

const wrong = (message: string): SandboxAnswer => plain(400, `Invalid request. ${message}`);

function incomplete(stored: number): SandboxAnswer {
  return plain(308, '', stored === 0 ? {} : { range: `bytes=0-${stored - 1}` });
}

/** The status with which a session is gone, from now on where a fault says so; null: it exists. */
function goneWith(
  session: UploadSession,
  fault: Fault<NetworkFault> | null,
  now: number,
  { videos }: YoutubeOptions,
): number | null {
  const gone = fault?.fault === 'yt_session_gone' ? Number(fault.reason ?? 410) : session.gone;
  if (gone !== null && session.gone === null) videos.putSession({ ...session, gone });
  return gone ?? (now - session.createdAt >= SESSION_LIFE_MS ? 410 : null);
}

/** PUT to the address of an upload. The answer to the last byte is repeated on every later request. */
export function putBytes(request: Incoming, fault: Fault<NetworkFault> | null, options: YoutubeOptions): SandboxAnswer {
  const now = options.clock.now();
  const session = options.videos.session(request.query.get('upload_id') ?? '');
  if (session === null) return plain(404, 'Not Found');
  const gone = goneWith(session, fault, now, options);
  if (gone !== null) return plain(gone, '');
  if (session.videoId !== null) {
    const video = options.videos.get(session.videoId)!;
    return json(200, videoResource(video, ['snippet', 'status'], video.uploadedAt));
  }
  if (request.header('transfer-encoding') !== '') return plain(411, 'Length Required');
  const range = readRange(request);
  if (range === null) return wrong('Failed to parse Content-Range header.');
  const total = 'question' in range ? (range.question ?? session.size) : range.total;
  if (total !== session.size)
    return wrong(
      `According to the initial request, the final size of the upload is ${session.size} byte(s), not ${total}.`,
    );
  const stored = Math.floor(options.files.size(session.sessionId) / GRAIN_BYTES) * GRAIN_BYTES;
  return 'question' in range
    ? incomplete(stored)
    : takeBytes({ bytes: request.bytes, range, stored, now }, { ...session, fate: fateOf(session, fault) }, options);
}

const fateOf = ({ fate }: UploadSession, fault: Fault<NetworkFault> | null): UploadSession['fate'] =>
  fault === null ? fate : { fault: fault.fault, reason: fault.reason };

interface SentBytes {
  readonly bytes: Uint8Array;
  readonly range: Bytes;
  /** How many the session had before. */
  readonly stored: number;
  readonly now: number;
}

function takeBytes(
  { bytes, range: { from, to }, stored, now }: SentBytes,
  session: UploadSession,
  options: YoutubeOptions,
): SandboxAnswer {
  if (to > session.size) return wrong('There are more bytes than the upload has.');
  if (from > stored)
    return wrong(
      `According to the Content-Range header, the upload offset is ${from} byte(s), which exceeds already uploaded size of ${stored} byte(s).`,
    );
  if (to < session.size && bytes.length % GRAIN_BYTES !== 0)
    return wrong(
      `The number of bytes uploaded is required to be a multiple of ${GRAIN_BYTES}, except for the final request.`,
    );
  if (to <= stored) return incomplete(stored);
  options.files.write(session.sessionId, stored, bytes.subarray(stored - from));
  if (to < session.size) return incomplete(to);
  return json(201, videoResource(complete(session, now, options), ['snippet', 'status'], now));
}
