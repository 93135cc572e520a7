import { isRecord, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Asked, YoutubeDeps } from './asked.ts';
import { badRequest, notFound, quotaExceeded, sessionGone, uploadLimit } from './errors.ts';
import { videoResource } from './read.ts';
import type { Session, Video } from './videos.ts';

const DAY_MS = 24 * 3_600_000;
const SESSION_LIFE_MS = 7 * DAY_MS;
const PROCESSING_MS = 30_000;
const CHUNK_BYTES = 262_144;
const MOST_BYTES = 256 * 1_073_741_824;
const UNVERIFIED_MS = 15 * 60_000;

const textAt = (record: unknown, name: string): string => (isRecord(record) && typeof record[name] === 'string' ? record[name] : '');

/** POST /upload/youtube/v3/videos?uploadType=resumable: what the video will be called, for an address to send it to. */
export function startUpload({ request, query, account, now }: Asked, deps: YoutubeDeps): Answer {
  if (query.get('uploadType') !== 'resumable') return badRequest('badRequest', 'uploadType must be resumable.');
  const body = request.json();
  if (!isRecord(body)) return badRequest('invalidVideoMetadata', 'The request metadata is invalid.');
  const title = textAt(body['snippet'], 'title');
  const description = textAt(body['snippet'], 'description');
  if (title === '' || [...title].length > 100 || /[<>]/.test(title)) return badRequest('invalidTitle', 'The request metadata specifies an invalid or empty video title.');
  if (Buffer.byteLength(description) > 5_000 || /[<>]/.test(description)) return badRequest('invalidDescription', 'The request metadata specifies an invalid video description.');
  const privacy = textAt(body['status'], 'privacyStatus') || 'public';
  if (!['public', 'unlisted', 'private'].includes(privacy)) return badRequest('invalidVideoMetadata', 'The request metadata is invalid.');
  const size = Number(request.header('x-upload-content-length') || '0');
  if (!Number.isSafeInteger(size) || size < 1 || size > MOST_BYTES) return badRequest('mediaBodyRequired', 'The request does not say how large the video is.');
  if (!/^(video\/|application\/octet-stream)/.test(request.header('x-upload-content-type'))) return badRequest('mediaBodyRequired', 'The request does not include a video.');
  if (deps.quota.used(account.accountId, now) >= deps.limits.get('uploadsPerChannel')) return uploadLimit();
  if (deps.quota.used('inserts', now) >= deps.limits.get('insertsPerDay')) return quotaExceeded();
  for (const what of [account.accountId, 'inserts']) deps.quota.use(what, now);
  const sessionId = deps.files.open();
  deps.videos.putSession({ sessionId, accountId: account.accountId, title, description, privacy, size, createdAt: now, videoId: null, gone: false });
  const location = `${deps.baseUrl()}/sim/youtube/upload/youtube/v3/videos?uploadType=resumable&upload_id=${sessionId}`;
  return { status: 200, headers: { location, 'x-guploader-uploadid': sessionId, 'content-type': 'text/plain' }, body: '' };
}

/** What a PUT with this Content-Range asks: how far it came, or to take bytes; null: it can't be read. */
export function rangeOf(request: Incoming): { readonly from: number; readonly total: number } | 'status' | null {
  const range = request.header('content-range');
  if (range === '') return { from: 0, total: request.bytes.length };
  if (/^bytes \*\/(\d{1,15}|\*)$/.test(range)) return 'status';
  const [, from, to, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(range) ?? [];
  if (from === undefined || Number(to) - Number(from) + 1 !== request.bytes.length) return null;
  return { from: Number(from), total: Number(total) };
}

function incomplete(stored: number): Answer {
  return { status: 308, headers: { 'content-type': 'text/plain', ...(stored === 0 ? {} : { range: `bytes=0-${stored - 1}` }) }, body: '' };
}

/** PUT to the address of an upload. What was said of the last byte is said again, whenever it is asked. */
export function putBytes(request: Incoming, fault: Fault<NetworkFault> | null, deps: YoutubeDeps): Answer {
  const { videos, files, clock } = deps;
  const now = clock.now();
  const session = videos.session(request.query.get('upload_id') ?? '');
  if (session === null) return notFound('The upload does not exist.');
  if (fault?.fault === 'yt_session_gone' && session.videoId === null) videos.putSession({ ...session, gone: true });
  if (fault?.fault === 'yt_session_gone' || session.gone || now - session.createdAt > SESSION_LIFE_MS) return sessionGone();
  if (session.videoId !== null) return json(200, videoResource(videos.get(session.videoId)!, ['snippet', 'status'], now));
  const range = rangeOf(request);
  const stored = files.size(session.sessionId);
  if (range === 'status') return incomplete(stored);
  if (range === null || range.total !== session.size) return badRequest('badContentRange', 'Content-Range does not fit the body or the announced size.');
  if (range.from !== stored) return incomplete(stored);
  const end = range.from + request.bytes.length;
  if (end > session.size || (end < session.size && request.bytes.length % CHUNK_BYTES !== 0)) return badRequest('badContentLength', 'A chunk but the last must be a multiple of 256 KiB.');
  files.write(session.sessionId, range.from, request.bytes);
  return end < session.size ? incomplete(end) : json(201, videoResource(complete(session, fault, now, deps), ['snippet', 'status'], now));
}

const REJECTED = 'rejected ';

function complete(session: Session, fault: Fault<NetworkFault> | null, now: number, deps: YoutubeDeps): Video {
  const { accountId, title, description, privacy } = session;
  const file = deps.files.seal(session.sessionId);
  const isVideo = file.contentType === 'video/mp4' || file.contentType === 'video/quicktime';
  const asked = fault?.fault === 'processing_failed' ? (fault.reason ?? 'codec') : fault?.fault === 'duplicate' ? `${REJECTED}duplicate` : null;
  const rejectionReason = asked?.startsWith(REJECTED) === true ? asked.slice(REJECTED.length) : file.durationMs > UNVERIFIED_MS ? 'length' : null;
  const failureReason = !isVideo ? 'invalidFile' : rejectionReason === null ? asked : null;
  const stuck = fault?.fault === 'processing_stuck';
  const videoId = deps.remoteIds.next();
  const readyAt = stuck ? null : now + deps.timing.scaled('youtube', PROCESSING_MS);
  const video: Video = { videoId, accountId, title, description, privacy, file, uploadedAt: now, readyAt, failureReason, rejectionReason };
  deps.videos.put(video);
  deps.videos.putSession({ ...session, videoId });
  if (failureReason === null && rejectionReason === null) {
    const media = [{ sha256: file.sha256, bytes: file.bytes, contentType: file.contentType }];
    const shown = { placement: 'feed', text: description, title, media, altTexts: [null], publishedAt: now } as const;
    deps.items.add({ network: 'youtube', accountId, remoteId: videoId, ...shown, path: `/sim/youtube/watch/${videoId}` });
  }
  return video;
}
