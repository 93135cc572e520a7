import type { SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { flagOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { edgeLimit, parameterError } from './graph-errors.ts';
import { videoGoesLive } from './live.ts';
import type { FacebookVideo } from './records.ts';
import { type VideoProblem, videoProblem } from './video-problems.ts';

const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
const GIBIBYTE = 1_073_741_824;
const MAX_TITLE = 254;
const MIN_BYTES = 1_024;
const PROCESSING_MS = { feed: 15_000, reel: 25_000, story: 25_000 } as const;
const MIN_MS = { reel: 3_000, story: 1_000 } as const;
const MAX_MS = { reel: 90_000, story: 60_000 } as const;

/** How the bytes of a feed video are sent: in a session, or with the one call. */
export type FilmWay = 'session' | 'whole';

export const mostBytesOf = (way: FilmWay): number => (way === 'session' ? 10 : 1) * GIBIBYTE;
const mostMsOf = (way: FilmWay): number => (way === 'session' ? 240 : 20) * MINUTE_MS;

/** The problem with a video of its kind; null: none that can be seen without processing. */
export function judge(
  { contentType, bytes, durationMs, width, height }: SandboxFile,
  kind: FacebookVideo['kind'],
  way: FilmWay,
): VideoProblem | null {
  if (bytes < MIN_BYTES) return 1363022;
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 1363024;
  if (bytes > mostBytesOf(way)) return 1363023;
  if (kind === 'feed') return durationMs > mostMsOf(way) ? 1363026 : null;
  if (durationMs < MIN_MS[kind]) return 1363025;
  if (durationMs > MAX_MS[kind]) return 1363026;
  return Math.min(width, height) < 540 || Math.max(width, height) < 960 || height * 9 !== width * 16 ? 352 : null;
}

/**
 * Publishes a complete video. Null: it is published, now or before. A feed video that can't be processed is refused at
 * once; a reel or a Story reports it in its status later, and nothing goes live.
 */
export function publishVideo(
  video: FacebookVideo,
  way: FilmWay,
  { parameters, pageId, now, fault }: PageRequest,
  options: FacebookOptions,
): SandboxAnswer | null {
  const { kind } = video;
  if (video.finishedAt !== null) return null;
  const title = parameters.get('title');
  if (title !== null && title.length > MAX_TITLE)
    return parameterError(`(#100) Param title must be at most ${MAX_TITLE} characters long.`);
  if (flagOf(parameters, 'published', true) !== true)
    return parameterError('(#100) Param published must be true: this sandbox knows no unpublished videos.');
  const wrong =
    judge(video.file!, kind, way) ??
    (fault?.fault === 'processing_failed' ? (Number(fault.reason ?? 1363024) as VideoProblem) : null);
  if (wrong !== null && kind === 'feed') return videoProblem(wrong);
  if (
    kind === 'reel' &&
    !options.uses.admit({ what: 'reels', accountId: pageId, windowMs: DAY_MS }, options.limits.get('reelsPerDay'), now)
  )
    return edgeLimit();
  const failure = wrong ?? video.failure;
  const number = options.remoteIds.next();
  const postId = kind === 'feed' ? `${pageId}_${number}` : number;
  const description = parameters.get('description') ?? '';
  const readyAt =
    fault?.fault === 'processing_stuck' ? null : now + options.timing.scaled('facebook', PROCESSING_MS[kind]);
  const finished: FacebookVideo = { ...video, failure, finishedAt: now, readyAt, postId, description, title };
  options.records.videos.put(finished);
  if (kind !== 'story' && failure === null) {
    const ofVideo = { message: description, photoIds: [], videoId: video.id, createdAt: now, publishedAt: now };
    options.records.posts.put({ id: `${pageId}_${number}`, pageId, ...ofVideo });
  }
  // A video that is stuck for ever is never visible, except a feed video, which is visible from the finish on.
  if (failure === null && (readyAt !== null || kind === 'feed')) videoGoesLive(finished, now, options);
  return null;
}
