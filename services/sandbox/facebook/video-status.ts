import type { Fields } from '../graph/fields.ts';
import type { FacebookOptions } from './page-request.ts';
import type { FacebookVideo } from './records.ts';
import { VIDEO_PROBLEMS } from './video-problems.ts';

/** How long a video may be uploaded and finished. */
const SESSION_LIFE_MS = 24 * 3_600_000;

export const isExpired = ({ createdAt, finishedAt }: FacebookVideo, now: number): boolean =>
  finishedAt === null && now - createdAt > SESSION_LIFE_MS;

/**
 * The state of a video: `uploading` until it is complete, `uploaded` until it is to be published, then `processing`,
 * for ever when it is stuck, and at its end `ready` or `failed`. A video that was not finished within a day is
 * `expired`.
 */
export function stageOf(
  video: FacebookVideo,
  now: number,
): 'expired' | 'uploading' | 'uploaded' | 'processing' | 'ready' | 'failed' {
  const { file, finishedAt, readyAt, failure } = video;
  if (finishedAt === null) return isExpired(video, now) ? 'expired' : file === null ? 'uploading' : 'uploaded';
  if (readyAt === null || now < readyAt) return 'processing';
  return failure === null ? 'ready' : 'failed';
}

type ShownUploadOptions = Pick<FacebookOptions, 'files' | 'timing'>;

/** How far the status is behind the bytes that arrived, before the timing factor. */
const UPLOAD_LAG_MS = 2_000;

/** The bytes of an upload that its status shows. */
function shownBytes(
  { file, uploadId, finishedAt, shownUpload }: FacebookVideo,
  now: number,
  { files }: ShownUploadOptions,
): number {
  if (finishedAt === null && shownUpload !== undefined && now < shownUpload.until) return shownUpload.bytes;
  return file?.bytes ?? files.size(uploadId);
}

/** What the status of `video` says for a while, once more bytes arrive now. */
export function shownForNow(
  video: FacebookVideo,
  now: number,
  options: ShownUploadOptions,
): FacebookVideo['shownUpload'] & object {
  const until = now + options.timing.scaled('facebook', UPLOAD_LAG_MS);
  return { bytes: shownBytes(video, now, options), until };
}

const VIDEO_STATUS = {
  expired: 'expired',
  uploading: 'uploading',
  uploaded: 'upload_complete',
  processing: 'processing',
  ready: 'ready',
  failed: 'error',
} as const;
const PROCESSING = {
  expired: 'not_started',
  uploading: 'not_started',
  uploaded: 'not_started',
  processing: 'in_progress',
  ready: 'complete',
  failed: 'error',
} as const;
/** The real API uses both spellings of a finished phase. */
const PUBLISHING = { ...PROCESSING, processing: 'not_started', ready: 'completed' } as const;

/** Every phase, by the clock. */
export function statusFields(video: FacebookVideo, now: number, options: FacebookOptions): Fields {
  const { file, finishedAt, failure, size, kind } = video;
  const came = shownBytes(video, now, options);
  const isWhole = file !== null && came === file.bytes;
  const reached = stageOf(video, now);
  const stage = reached === 'uploaded' && !isWhole ? 'uploading' : reached;
  const uploading = isWhole ? 'complete' : came > 0 ? 'in_progress' : 'not_started';
  const error = stage === 'failed' ? { code: failure!, message: VIDEO_PROBLEMS[failure!] } : null;
  const unpublished = kind === 'story' ? 'not_published' : 'draft';
  return {
    video_status: VIDEO_STATUS[stage],
    uploading_phase: {
      status: uploading,
      bytes_transferred: came,
      ...(size === null ? {} : { source_file_size: size }),
    },
    processing_phase: { status: PROCESSING[stage], errors: error === null ? [] : [error] },
    publishing_phase: {
      status: PUBLISHING[stage],
      publish_status: finishedAt === null ? unpublished : error !== null ? 'error' : 'published',
      ...(finishedAt === null || error !== null ? {} : { publish_time: Math.floor(finishedAt / 1000) }),
    },
  };
}
