import { json, type SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { bytesOfPart, isAnswer, wholeOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { badAddress, parameterError } from './graph-errors.ts';
import { isWebAddress } from './photos.ts';
import { mostBytesOf, publishVideo } from './publish-video.ts';
import type { FacebookVideo } from './records.ts';
import { uploadedFile } from './resumable.ts';
import { withThumbnail } from './thumbnails.ts';
import { type VideoProblem, videoProblem, wrongOffset } from './video-problems.ts';
import { isExpired } from './video-status.ts';

const SUGGESTED_BYTES = 1_048_576;

export function newVideo(
  kind: FacebookVideo['kind'],
  size: number | null,
  { pageId, now }: PageRequest,
  options: FacebookOptions,
): FacebookVideo {
  const video: FacebookVideo = {
    ...{
      id: options.remoteIds.next(),
      pageId,
      kind,
      uploadId: options.files.open(),
      size,
      createdAt: now,
      file: null,
      failure: null,
    },
    ...{ finishedAt: null, readyAt: null, postId: null, description: '', title: null },
  };
  options.records.videos.put(video);
  return video;
}

const suggested = (size: number, from: number) => ({
  start_offset: String(from),
  end_offset: String(Math.min(from + SUGGESTED_BYTES, size)),
});

/** The upload session of a video has its number. */
const sessionOf = (videoId: string): string => `7${videoId}`;

/** POST /{page}/videos, upload_phase=start */
export function startVideo(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const size = wholeOf(call.parameters.get('file_size'));
  if (size < 1) return parameterError('(#100) The parameter file_size is required');
  if (size > mostBytesOf('session')) return videoProblem(1363023);
  const video = newVideo('feed', size, call, options);
  return json(200, {
    upload_session_id: sessionOf(video.id),
    video_id: video.id,
    ...suggested(size, 0),
    skip_upload: false,
  });
}

/** The video of an upload session; an answer where there is none to continue. */
function sessionVideo(
  { parameters, pageId, now }: PageRequest,
  { records }: FacebookOptions,
): FacebookVideo | SandboxAnswer {
  const session = parameters.get('upload_session_id') ?? '';
  if (session === '') return parameterError('(#100) The parameter upload_session_id is required');
  const video = session.startsWith('7') ? records.videos.get(session.slice(1)) : null;
  if (video === null || video.kind !== 'feed') return parameterError('(#100) Invalid upload_session_id');
  if (video.pageId !== pageId) return videoProblem(1363042);
  return isExpired(video, now) ? videoProblem(video.file === null ? 1363030 : 1363041) : video;
}

/** upload_phase=transfer: by offset; bytes may be sent again. */
export async function transferVideo(call: PageRequest, options: FacebookOptions): Promise<SandboxAnswer> {
  const { parameters, fault } = call;
  const chunk = await bytesOfPart(call.parts, 'video_file_chunk');
  const video = sessionVideo(call, options);
  if (isAnswer(video)) return video;
  if (!parameters.has('start_offset')) return parameterError('(#100) The parameter start_offset is required');
  if (chunk === null || chunk.length === 0) return parameterError('(#100) The parameter video_file_chunk is required');
  const size = video.size!;
  const came = video.file?.bytes ?? options.files.size(video.uploadId);
  const offset = wholeOf(parameters.get('start_offset'));
  if (offset < 0 || offset > came) return wrongOffset(came, Math.min(came + SUGGESTED_BYTES, size));
  if (offset + chunk.length > size) return videoProblem(1363045);
  if (video.file === null) {
    options.files.write(video.uploadId, offset, chunk);
    const file = options.files.size(video.uploadId) === size ? options.files.seal(video.uploadId) : null;
    const failure =
      fault?.fault === 'processing_failed' ? (Number(fault.reason ?? 1363024) as VideoProblem) : video.failure;
    options.records.videos.put({ ...video, file, failure });
  }
  return json(200, suggested(size, Math.max(came, offset + chunk.length)));
}

/** upload_phase=cancel */
export function cancelVideo(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const video = sessionVideo(call, options);
  if (isAnswer(video)) return video;
  if (video.finishedAt !== null) return videoProblem(1363041);
  options.files.discard(video.uploadId);
  options.records.videos.delete(video.id);
  return json(200, { success: true });
}

/** The video with the thumbnail that the call sends as `thumb`, where it sends one. */
async function withThumb(
  video: FacebookVideo,
  { parts }: PageRequest,
  options: FacebookOptions,
): Promise<FacebookVideo | SandboxAnswer> {
  const bytes = await bytesOfPart(parts, 'thumb');
  return bytes === null || video.finishedAt !== null ? video : withThumbnail(video, bytes, true, options);
}

/** upload_phase=finish: a repeated call gets the same answer. */
export async function finishVideo(call: PageRequest, options: FacebookOptions): Promise<SandboxAnswer> {
  const session = sessionVideo(call, options);
  if (isAnswer(session)) return session;
  if (session.file === null) return videoProblem(1363033);
  const video = await withThumb(session, call, options);
  if (isAnswer(video)) return video;
  return publishVideo(video, 'session', call, options) ?? json(200, { success: true, video_id: video.id });
}

/**
 * The video that the call sends, or names by address or by the handle of an upload; an answer where it did not arrive.
 */
async function filmOf(
  { parameters, parts, fault }: PageRequest,
  options: FacebookOptions,
): Promise<SandboxFile | SandboxAnswer> {
  const handle = parameters.get('fbuploader_video_file_chunk');
  const url = parameters.get('file_url');
  const bytes = await bytesOfPart(parts, 'source');
  if (bytes !== null) return options.files.keep(bytes);
  if (handle !== null)
    return uploadedFile(handle, options) ?? parameterError('(#100) Invalid fbuploader_video_file_chunk');
  if (url === null)
    return parameterError('(#100) One of file_url, source, fbuploader_video_file_chunk or upload_phase is required.');
  if (!isWebAddress(url)) return badAddress();
  const fetched = fault?.fault === 'media_fetch_blocked' ? null : await options.fetchFile(url, mostBytesOf('whole'));
  return fetched ?? videoProblem(389);
}

/** POST /{page}/videos without phases: there is no id before it is public. */
export async function createVideo(call: PageRequest, options: FacebookOptions): Promise<SandboxAnswer> {
  if (call.parameters.has('upload_phase'))
    return parameterError('(#100) Param upload_phase must be one of {start, transfer, finish, cancel}');
  const film = await filmOf(call, options);
  if (isAnswer(film)) return film;
  const whole: FacebookVideo = { ...newVideo('feed', film.bytes, call, options), file: film };
  const video = await withThumb(whole, call, options);
  if (isAnswer(video)) return video;
  return publishVideo(video, 'whole', call, options) ?? json(200, { id: video.id });
}
