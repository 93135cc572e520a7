import { json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { FacebookDeps } from './asked.ts';
import type { Video } from './records.ts';

/** Those whose bytes go to an address of their own. */
export type VideoKindByAddress = Exclude<Video['kind'], 'feed'>;

const MOST_BYTES = 1_073_741_824;

function refused(status: number, type: string, message: string, retriable: boolean): Answer {
  return json(status, { debug_info: { retriable, type, message } });
}

/**
 * POST /video-upload/{v}/{video}: the bytes from `offset` on, or the address to fetch them from. An upload that was cut goes on at
 * the offset that the video's status names.
 */
export async function uploadVideo(request: Incoming, videoId: string, fault: Fault<NetworkFault> | null, deps: FacebookDeps): Promise<Answer> {
  const token = /^OAuth (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '';
  const holder = deps.grants.look('facebook', token, deps.clock.now());
  if (holder.state !== 'live') return refused(401, 'NotAuthorizedError', 'User is not authorized to perform this request', false);
  const url = request.header('file_url');
  const fetched = url === '' || fault?.fault === 'media_fetch_blocked' ? null : await deps.fetchFile(url, MOST_BYTES);
  const video = deps.records.videos.get(videoId);
  if (video === null || video.kind === 'feed' || video.pageId !== holder.account.accountId) return refused(404, 'ResourceNotFoundError', 'The upload does not exist.', false);
  if (video.file !== null) return json(200, { success: true });
  if (url !== '') {
    if (fetched === null) return refused(400, 'ProcessingFailedError', 'The file could not be fetched from file_url.', false);
    deps.records.videos.put({ ...video, size: fetched.bytes, file: fetched });
    return json(200, { success: true });
  }
  const [offset, size] = [request.header('offset'), request.header('file_size')].map((value) => (/^\d{1,15}$/.test(value) ? Number(value) : -1)) as [number, number];
  const came = deps.files.size(video.uploadId);
  if (size < 1 || (video.size !== null && video.size !== size)) return refused(400, 'InvalidFileSizeError', 'The header file_size is missing or has changed.', false);
  if (offset < 0 || offset > came) return refused(400, 'OffsetInvalidError', `Request starting offset is invalid: ${came} bytes came.`, true);
  if (offset + request.bytes.length > size) return refused(400, 'PartialRequestError', 'More came than file_size says.', false);
  deps.files.write(video.uploadId, offset, request.bytes);
  const complete = deps.files.size(video.uploadId) === size;
  deps.records.videos.put({ ...video, size, file: complete ? deps.files.seal(video.uploadId) : null });
  return json(200, complete ? { success: true } : { success: true, offset: offset + request.bytes.length });
}
