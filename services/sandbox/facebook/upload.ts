import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import { mayDo, oauthToken } from './admission.ts';
import { wholeOf, type FacebookOptions } from './page-request.ts';
import { scopeOf, UPLOAD_CALL } from './calls.ts';
import { playFault } from './faults.ts';
import { mostBytesOf } from './publish-video.ts';
import type { FacebookVideo } from './records.ts';
import { isExpired, shownForNow } from './video-status.ts';

/** The shape of this host's refusals. */
export function uploadRefused(status: number, type: string, message: string, retriable: boolean): SandboxAnswer {
  return json(status, { debug_info: { retriable, type, message } });
}

const notAuthorized = () =>
  uploadRefused(401, 'NotAuthorizedError', 'User is not authorized to perform this request', false);

/** The video to be uploaded, or why it can't be. */
function videoToUpload(
  videoId: string,
  pageId: string,
  now: number,
  { records }: FacebookOptions,
): FacebookVideo | null {
  const video = records.videos.get(videoId);
  return video === null || video.kind === 'feed' || video.pageId !== pageId || isExpired(video, now) ? null : video;
}

/**
 * POST /video-upload/{v}/{video}: the bytes from `offset` on, or the address to fetch them from. An upload that was cut
 * continues at the offset that the video's status names. Sending to a complete video changes nothing.
 */
export async function uploadVideo(
  request: Incoming,
  videoId: string,
  fault: Fault<NetworkFault> | null,
  options: FacebookOptions,
): Promise<SandboxAnswer> {
  const now = options.clock.now();
  const holder = options.grants.look('facebook', oauthToken(request), now);
  if (holder.state !== 'live' || holder.token.subject !== 'page') return notAuthorized();
  if (fault !== null && playFault(fault, holder, options) !== null) return notAuthorized();
  if (!mayDo(scopeOf(UPLOAD_CALL), holder)) return notAuthorized();
  const url = request.header('file_url');
  const blocked =
    fault?.fault === 'media_fetch_blocked' || /(^|\.)fbcdn\.net$/i.test(URL.canParse(url) ? new URL(url).hostname : '');
  const fetched = url === '' || blocked ? null : await options.fetchFile(url, mostBytesOf('whole'));
  const video = videoToUpload(videoId, holder.account.accountId, now, options);
  if (video === null) return uploadRefused(404, 'ResourceNotFoundError', 'The upload does not exist.', false);
  if (video.file !== null) return json(200, { success: true });
  if (fault?.fault === 'processing_failed')
    return uploadRefused(400, 'ProcessingFailedError', 'Request processing failed', false);
  if (url === '') return writeBytes(request, video, options);
  if (fetched === null)
    return uploadRefused(400, 'ProcessingFailedError', 'The file could not be fetched from file_url.', false);
  const shownUpload = shownForNow(video, now, options);
  options.records.videos.put({ ...video, size: fetched.bytes, file: fetched, shownUpload });
  return json(200, { success: true });
}

/** A part of a file is stored, and answered as a partial request, in the shape of an error: there is more to send. */
const partial = () => uploadRefused(206, 'PartialRequestError', 'Partial request (did not match length of file)', true);

function writeBytes(request: Incoming, video: FacebookVideo, options: FacebookOptions): SandboxAnswer {
  const { files, records } = options;
  const [offset, size] = [wholeOf(request.header('offset')), wholeOf(request.header('file_size'))];
  const came = files.size(video.uploadId);
  if (size < 1 || (video.size !== null && video.size !== size))
    return uploadRefused(400, 'PartialRequestError', 'The header file_size is missing or has changed.', false);
  if (size > mostBytesOf('whole')) return uploadRefused(400, 'ProcessingFailedError', 'The file is too large.', false);
  if (offset < 0 || offset > came)
    return uploadRefused(400, 'OffsetInvalidError', `Request starting offset is invalid: ${came} bytes came.`, true);
  if (offset + request.bytes.length > size)
    return uploadRefused(400, 'PartialRequestError', 'More came than file_size says.', false);
  const shownUpload = shownForNow(video, options.clock.now(), options);
  files.write(video.uploadId, offset, request.bytes);
  const file = files.size(video.uploadId) === size ? files.seal(video.uploadId) : null;
  records.videos.put({ ...video, size, file, shownUpload });
  return file === null ? partial() : json(200, { success: true });
}
