import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { unfitFiles, type UnfitFiles } from '../contract/answers.ts';

export const MAX_PHOTOS = 35;
export const MAX_PHOTO_BYTES = 20_000_000;
export const MAX_VIDEO_BYTES = 4_000_000_000;
export const VIDEO_MS = [3_000, 600_000] as const;
export const VIDEO_SIDES = [360, 4_096] as const;
const PHOTO_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/webp']);
const VIDEO_TYPES: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime', 'video/webm']);

export type PostKind = { readonly kind: 'video'; readonly file: Rendition } | { readonly kind: 'photos' } | UnfitFiles;

/** How a publication goes to TikTok, or why it would not take it, in words for a person. */
export function kindOf({ placement, media }: Pick<Publication, 'placement' | 'media'>): PostKind {
  const [first, ...others] = media;
  if (placement === 'story') return unfitFiles('TikTok takes no Stories from apps.');
  if (first === undefined) return unfitFiles('A post on TikTok needs pictures or a video.');
  if (media.every(({ kind }) => kind === 'image')) return photos(media);
  if (others.length > 0) return unfitFiles('A post on TikTok has pictures or one video, not both.');
  const problem = videoProblem(first);
  return problem === null ? { kind: 'video', file: first } : unfitFiles(problem);
}

function photos(media: readonly Rendition[]): PostKind {
  if (media.length > MAX_PHOTOS) return unfitFiles(`TikTok takes at most ${MAX_PHOTOS} pictures in a post.`);
  if (media.some(({ contentType }) => !PHOTO_TYPES.has(contentType)))
    return unfitFiles('TikTok takes pictures as JPEG or WebP.');
  if (media.some(({ bytes }) => bytes > MAX_PHOTO_BYTES)) return unfitFiles('TikTok takes pictures of at most 20 MB.');
  return { kind: 'photos' };
}

function videoProblem({ contentType, bytes, durationMs, width, height }: Rendition): string | null {
  if (!VIDEO_TYPES.has(contentType)) return 'TikTok takes videos as MP4, MOV or WebM.';
  if (bytes > MAX_VIDEO_BYTES) return 'TikTok takes videos of at most 4 GB.';
  if (durationMs !== null && !isWithin(durationMs, VIDEO_MS)) return 'TikTok takes videos of 3 seconds to 10 minutes.';
  return isWithin(width, VIDEO_SIDES) && isWithin(height, VIDEO_SIDES)
    ? null
    : 'TikTok takes videos of 360 to 4096 pixels a side.';
}

function isWithin(value: number, [least, most]: readonly [number, number]): boolean {
  return value >= least && value <= most;
}
