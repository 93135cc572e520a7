import type { SandboxFile } from '../files/files.ts';
import type { ContainerKind } from './containers.ts';
import type { MediaFault } from './graph-errors.ts';

const MEBIBYTE = 1_048_576;
const MOST_IMAGE_BYTES = 8 * MEBIBYTE;
/** What Instagram scales or crops a little; beyond it refuses. */
const TOLERANCE = 0.01;

const isVideo = ({ contentType }: SandboxFile): boolean => contentType === 'video/mp4' || contentType === 'video/quicktime';

/** What is wrong with a file that should be an image. */
export function judgeImage(file: SandboxFile, kind: ContainerKind): MediaFault | null {
  if (isVideo(file) || file.contentType === '') return 'unreachable';
  if (file.contentType !== 'image/jpeg') return 'format';
  if (file.bytes > MOST_IMAGE_BYTES) return 'large';
  const ratio = file.width / file.height;
  return kind !== 'story' && (ratio < 0.8 - TOLERANCE || ratio > 1.91 + TOLERANCE) ? 'ratio' : null;
}

const LONGEST_MS = { reel: 15 * 60_000, story: 60_000, child: 60_000 } as const;
const MOST_BYTES = { reel: 300 * MEBIBYTE, story: 100 * MEBIBYTE, child: 300 * MEBIBYTE } as const;

/** What is wrong with a file that should be a video. */
export function judgeVideo(file: SandboxFile, kind: 'reel' | 'story' | 'child'): MediaFault | null {
  if (!isVideo(file)) return file.contentType === '' ? 'unreachable' : 'video';
  if (file.durationMs < 3_000 || file.durationMs > LONGEST_MS[kind] || file.bytes > MOST_BYTES[kind]) return 'video';
  const ratio = file.width / file.height;
  return file.width > 1_920 || ratio < 0.01 || ratio > 10 ? 'video' : null;
}

/** The most that is fetched of any file. */
export const MOST_FETCHED_BYTES = 1_024 * MEBIBYTE;

export function captionFits(caption: string): boolean {
  return caption.length <= 2_200 && (caption.match(/#[\p{L}\p{N}_]+/gu) ?? []).length <= 30 && (caption.match(/@[\w.]+/g) ?? []).length <= 20;
}
