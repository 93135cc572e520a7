import { PortError } from '#ports/errors.ts';
import type { MediaRefusal, MissingTool } from '#ports/media-tools.ts';
import { runTool, type FfmpegTools } from './tools.ts';
import type { VideoDetails } from './video-details.ts';

export const DAMAGED: MediaRefusal = {
  kind: 'refused',
  words: 'The video is damaged: it can not be played to its end.',
};
const TOO_HEAVY: MediaRefusal = {
  kind: 'refused',
  words:
    'The video needs more memory to prepare than there is for one. Export it again as an MP4 of at most 1080p, and try that.',
};
const TOO_LONG: MediaRefusal = {
  kind: 'refused',
  words: 'The video takes too long to prepare. Export it again as an MP4 of at most 1080p, and try that.',
};

export interface FfmpegRun {
  /** All arguments after the tool's name. */
  readonly args: readonly string[];
  /** The file that is read, and the one that is written. */
  readonly path: string;
  readonly into: string;
  /** Of the video that is read: its pictures bound the time. */
  readonly details: VideoDetails;
  /** The largest file that may come out. */
  readonly fileBytes: number;
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs ffmpeg on a video within the limits of `tools`. `too large`: it wrote more than `fileBytes`. Rejects with
 * `PortError` `unavailable` when the disk refuses, and with the signal's reason when aborted.
 */
export async function runFfmpeg(
  { args, path, into, details, fileBytes, onLine, signal }: FfmpegRun,
  tools: FfmpegTools,
): Promise<{ readonly kind: 'made' } | { readonly kind: 'too large' } | MediaRefusal | MissingTool> {
  const ended = await runTool({
    program: tools.ffmpeg,
    args,
    reach: { reads: [path], writes: [into] },
    ...{ memoryBytes: tools.memoryBytes, threads: tools.threads, timeMs: timeFor(details, tools), fileBytes },
    ...(onLine === undefined ? {} : { onLine }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (ended.kind === 'over') return ended.limit === 'file' ? { kind: 'too large' } : TOO_LONG;
  if (ended.kind !== 'ended') return ended;
  if (ended.code === 0) return { kind: 'made' };
  if (NO_ROOM.test(ended.errors))
    throw new PortError('unavailable', `ffmpeg could not write: ${ended.errors.slice(-200)}`);
  return NO_MEMORY.test(ended.errors) ? TOO_HEAVY : DAMAGED;
}

/** The third alternative is the message of a thread that finds no memory for its stack. */
const NO_MEMORY = /Cannot allocate memory|malloc of size|Resource temporarily unavailable|Out of memory/i;
const NO_ROOM = /No space left on device|Read-only file system|Disk quota exceeded/;

const COMMON_PIXELS = 1920 * 1080;
const COMMON_RATE = 30;
const MAX_TIME_MS = 12 * 3_600_000;

/**
 * The time limit counts the pictures that exist: a picture that is shown for an hour is decoded once, and repeating it
 * costs next to nothing.
 */
function timeFor({ picture, durationMs }: VideoDetails, { timeMs, stillTimePerMs, timePerMs }: FfmpegTools): number {
  const load =
    Math.max(1, (picture.width * picture.height) / COMMON_PIXELS) *
    (picture.frameRate > 0 ? picture.frameRate / COMMON_RATE : 1);
  return Math.min(MAX_TIME_MS, timeMs + durationMs * (stillTimePerMs + timePerMs * load));
}
