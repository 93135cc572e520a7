import type { SandboxFile } from '../files/files.ts';
import type { ContainerKind } from './containers.ts';
import type { MediaFault } from './graph-errors.ts';

const MEBIBYTE = 1_048_576;
const MAX_IMAGE_BYTES = 8 * MEBIBYTE;
/** Instagram scales or crops within these ratios, and refuses others. */
const TOLERANCE = 0.01;

export const isVideo = ({ contentType }: SandboxFile): boolean =>
  contentType === 'video/mp4' || contentType === 'video/quicktime';

/** False also for a file without a size. */
function ratioWithin({ width, height }: SandboxFile, least: number, most: number): boolean {
  const ratio = width / height;
  return ratio >= least && ratio <= most;
}

/** The problem with a file as an image. Any width will do: Instagram scales. */
export function judgeImage(file: SandboxFile, kind: ContainerKind | 'cover'): MediaFault | null {
  if (isVideo(file) || file.contentType === '') return 'unreachable';
  if (file.contentType !== 'image/jpeg') return 'format';
  if (file.bytes > MAX_IMAGE_BYTES) return 'large';
  const any = kind === 'story' || kind === 'cover';
  return ratioWithin(file, any ? Number.MIN_VALUE : 0.8 - TOLERANCE, any ? Number.MAX_VALUE : 1.91 + TOLERANCE)
    ? null
    : 'ratio';
}

const MIN_MS = 3_000;
const WIDEST_PX = 1_920;
/** By kind: the other rules are the same for all. */
const VIDEO_RULES = {
  reel: { longestMs: 15 * 60_000, maxBytes: 300 * MEBIBYTE, narrowest: 0.01 },
  story: { longestMs: 60_000, maxBytes: 100 * MEBIBYTE, narrowest: 0.1 },
  child: { longestMs: 60_000, maxBytes: 300 * MEBIBYTE, narrowest: 0.01 },
} as const;
export type VideoKind = keyof typeof VIDEO_RULES;

export const videoKindOf = (kind: ContainerKind): VideoKind => (kind === 'story' || kind === 'child' ? kind : 'reel');

/** The problem with a file as a video whose cover is at `thumbOffsetMs`. */
export function judgeVideo(file: SandboxFile, kind: VideoKind, thumbOffsetMs: number): MediaFault | null {
  if (!isVideo(file)) return file.contentType === '' ? 'unreachable' : 'video';
  const { longestMs, maxBytes, narrowest } = VIDEO_RULES[kind];
  if (file.durationMs < MIN_MS || file.durationMs > longestMs || file.bytes > maxBytes) return 'video';
  if (file.width > WIDEST_PX || !ratioWithin(file, narrowest, 10)) return 'video';
  return thumbOffsetMs > file.durationMs ? 'thumbnail' : null;
}

/** The most bytes that are fetched or accepted of any file. */
export const MAX_FILE_BYTES = 1_024 * MEBIBYTE;

const MAX_CAPTION = 2_200;
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;

/** A mention begins a word, so e-mail addresses are none. */
export function captionFits(caption: string): boolean {
  if (caption.length > MAX_CAPTION) return false;
  const hashtags = caption.match(/#[\p{L}\p{N}_]+/gu) ?? [];
  const mentions = caption.match(/(?<![\w.@])@\w[\w.]*/g) ?? [];
  return hashtags.length <= MAX_HASHTAGS && mentions.length <= MAX_MENTIONS;
}
