import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { bytesOfPart } from './asked.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { edgeLimit, parameterError, unreachableVideo, unsupported, videoError, wrongOffset } from './graph-errors.ts';
import type { Video } from './records.ts';

const DAY_MS = 24 * 3_600_000;
const SUGGESTED_BYTES = 1_048_576;
const MOST_TITLE = 254;
const PROCESSING_MS = { feed: 15_000, reel: 25_000, story: 25_000 } as const;

const whole = (text: string | null): number => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : -1);

export function newVideo(kind: Video['kind'], size: number | null, { pageId, now }: PageAsked, deps: FacebookDeps): Video {
  const video: Video = {
    ...{ id: deps.remoteIds.next(), pageId, kind, uploadId: deps.files.open(), size, createdAt: now, file: null, failure: null },
    ...{ finishedAt: null, readyAt: null, postId: null, description: '', title: null },
  };
  deps.records.videos.put(video);
  return video;
}

const suggested = (video: Video, from: number) => ({ start_offset: String(from), end_offset: String(Math.min(from + SUGGESTED_BYTES, video.size!)) });

/** POST /{page}/videos, upload_phase=start. The session has the number of its video. */
export function startVideo(asked: PageAsked, deps: FacebookDeps): Answer {
  const size = whole(asked.parameters.get('file_size'));
  if (size < 1) return parameterError('(#100) The parameter file_size is required');
  const video = newVideo('feed', size, asked, deps);
  return json(200, { upload_session_id: sessionOf(video.id), video_id: video.id, ...suggested(video, 0), skip_upload: false });
}

const sessionOf = (videoId: string): string => `7${videoId}`;

/** The video of an upload session; an answer where there is none to go on with. */
function sessionVideo({ parameters, pageId, now }: PageAsked, { records }: FacebookDeps): Video | Answer {
  const session = parameters.get('upload_session_id') ?? '';
  const video = session.startsWith('7') ? records.videos.get(session.slice(1)) : null;
  if (video === null || video.pageId !== pageId || video.kind !== 'feed') return parameterError('(#100) Invalid upload_session_id');
  return now - video.createdAt > DAY_MS && video.finishedAt === null ? videoError(1363041, 'Invalid upload session: it has expired.') : video;
}

export const isAnswer = (value: Video | Answer): value is Answer => 'headers' in value;

/** upload_phase=transfer: by offset; what came already may come again. */
export async function transferVideo(asked: PageAsked, deps: FacebookDeps): Promise<Answer> {
  const chunk = await bytesOfPart(asked.parts, 'video_file_chunk');
  const video = sessionVideo(asked, deps);
  if (isAnswer(video)) return video;
  if (chunk === null || chunk.length === 0) return parameterError('(#100) The parameter video_file_chunk is required');
  const size = video.size!;
  const came = video.file?.bytes ?? deps.files.size(video.uploadId);
  const offset = whole(asked.parameters.get('start_offset'));
  if (offset < 0 || offset > came) return wrongOffset(came, Math.min(came + SUGGESTED_BYTES, size));
  if (offset + chunk.length > size) return videoError(1363045, 'The size of the upload differs from file_size.');
  if (video.file === null) {
    deps.files.write(video.uploadId, offset, chunk);
    if (deps.files.size(video.uploadId) === size) deps.records.videos.put({ ...video, file: deps.files.seal(video.uploadId) });
  }
  return json(200, suggested(video, Math.max(came, offset + chunk.length)));
}

/** upload_phase=cancel */
export function cancelVideo(asked: PageAsked, deps: FacebookDeps): Answer {
  const video = sessionVideo(asked, deps);
  if (isAnswer(video)) return video;
  if (video.finishedAt !== null) return parameterError('(#100) The upload session has ended.');
  deps.files.discard(video.uploadId);
  deps.records.videos.delete(video.id);
  return json(200, { success: true });
}

/** upload_phase=finish: what it answers is said once more when it comes once more. */
export function finishVideo(asked: PageAsked, deps: FacebookDeps): Answer {
  const video = sessionVideo(asked, deps);
  if (isAnswer(video)) return video;
  if (video.file === null) return videoError(1363033, 'The video upload was interrupted: not all of it came.');
  return publishVideo(video, asked, deps) ?? json(200, { success: true, video_id: video.id });
}

/** POST /{page}/videos without phases: by address, or the bytes as `source`. */
export async function createVideo(asked: PageAsked, deps: FacebookDeps): Promise<Answer> {
  const { parameters, parts, fault } = asked;
  const bytes = await bytesOfPart(parts, 'source');
  if (bytes === null && !parameters.has('file_url')) return parameterError('(#100) One of file_url, source or upload_phase is required.');
  const file = bytes !== null ? deps.files.keep(bytes) : fault?.fault === 'media_fetch_blocked' ? null : await deps.fetchFile(parameters.get('file_url')!, 1_073_741_824);
  if (file === null) return unreachableVideo();
  const video: Video = { ...newVideo('feed', file.bytes, asked, deps), file };
  return publishVideo(video, asked, deps) ?? json(200, { id: video.id });
}

/** What is wrong with a file for its kind; null: nothing that can be seen from outside. */
export function judge({ contentType, bytes, durationMs, width, height }: SandboxFile, kind: Video['kind']): { readonly code: number; readonly message: string } | null {
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return { code: 1363024, message: 'The video file format is not supported.' };
  if (bytes < 1_024) return { code: 1363022, message: 'The video is smaller than 1 KB.' };
  if (kind === 'feed') return null;
  if (durationMs < (kind === 'reel' ? 3_000 : 1_000)) return { code: 1363025, message: 'The video is too short.' };
  if (durationMs > (kind === 'reel' ? 90_000 : 60_000)) return { code: 1363026, message: 'The video is too long.' };
  if (Math.min(width, height) < 540 || Math.max(width, height) < 960) return { code: 352, message: 'The video resolution is too low.' };
  return height * 9 === width * 16 ? null : { code: 352, message: 'The video is not 9:16.' };
}

/** Tells a video that came whole to go live. Null: it was done now or before. */
export function publishVideo(video: Video, { parameters, pageId, now, fault }: PageAsked, deps: FacebookDeps): Answer | null {
  if (video.finishedAt !== null) return null;
  const title = parameters.get('title');
  if (title !== null && title.length > MOST_TITLE) return parameterError(`(#100) Param title must be at most ${MOST_TITLE} characters long.`);
  if (video.kind === 'reel' && reelsOfDay(pageId, now, deps) >= deps.limits.get('reelsPerDay')) return edgeLimit();
  const failed = fault?.fault === 'processing_failed' ? { code: Number(fault.reason ?? 1363024), message: 'The video could not be processed.' } : null;
  const failure = judge(video.file!, video.kind) ?? failed;
  if (failure !== null && video.kind === 'feed') return videoError(failure.code, failure.message);
  const stuck = fault?.fault === 'processing_stuck';
  const postId = video.kind === 'feed' ? `${pageId}_${deps.remoteIds.next()}` : deps.remoteIds.next();
  const description = parameters.get('description') ?? '';
  const readyAt = stuck ? null : now + deps.timing.scaled('facebook', PROCESSING_MS[video.kind]);
  const finished: Video = { ...video, failure, finishedAt: now, readyAt, postId, description, title };
  deps.records.videos.put(finished);
  // A feed video is shown from the finish on, however long it is worked at; the others only when that is over.
  if (failure === null && (!stuck || video.kind === 'feed')) addItem(finished, now, deps);
  return null;
}

function reelsOfDay(pageId: string, now: number, { records }: FacebookDeps): number {
  return records.videos.ofPage(pageId).filter(({ kind, finishedAt }) => kind === 'reel' && finishedAt !== null && finishedAt > now - DAY_MS).length;
}

function addItem({ kind, pageId, id, postId, description, title, file }: Video, now: number, { items }: FacebookDeps): void {
  const { sha256, bytes, contentType } = file!;
  items.add({
    network: 'facebook',
    accountId: pageId,
    remoteId: kind === 'story' ? postId! : id,
    placement: kind === 'story' ? 'story' : 'feed',
    text: description,
    ...(title === null ? {} : { title }),
    media: [{ sha256, bytes, contentType }],
    altTexts: [null],
    publishedAt: now,
    path: videoPath({ kind, id, postId }),
  });
}

export const videoPath = ({ kind, id, postId }: Pick<Video, 'kind' | 'id' | 'postId'>): string =>
  kind === 'story' ? `/sim/facebook/stories/${postId}` : `/sim/facebook/${kind === 'reel' ? 'reel' : 'videos'}/${id}`;

/** A video of the Page of a kind that `finish` names; an answer where there is none. */
export function namedVideo(kind: Video['kind'], { parameters, pageId }: PageAsked, { records }: FacebookDeps): Video | Answer {
  const id = parameters.get('video_id') ?? '';
  if (id === '') return parameterError('(#100) The parameter video_id is required');
  const video = records.videos.get(id);
  return video === null || video.pageId !== pageId || video.kind !== kind ? unsupported('post', id) : video;
}
