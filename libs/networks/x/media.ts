import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';

export const MAX_IMAGES = 4;
/** UTF-16 units. */
export const MAX_ALT_TEXT = 1000;
const MINUTE_MS = 60_000;
/** How long a video may be. */
export const MAX_VIDEO_MS = 20 * MINUTE_MS;
export const SUBSCRIBER_MAX_VIDEO_MS = 125 * MINUTE_MS;
/** X numbers the pieces of an upload, so all but the last are of this size. */
export const PIECE_BYTES = 4 * 1024 * 1024;
/** X numbers them from 0 to 999. */
const MAX_PIECES = 1_000;
/** What Crier can send; X takes 8 GB, and 16 GB of subscribers. */
export const MAX_VIDEO_BYTES = MAX_PIECES * PIECE_BYTES;
export const MIN_VIDEO_MS = 500;
export const MAX_IMAGE_BYTES = 5_000_000;
const MAX_GIF_BYTES = 15_000_000;
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const VIDEO_TYPES: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);
const GIF = 'image/gif';

/** What X calls a kind of file: it treats each its own way. */
export type XCategory = 'tweet_image' | 'tweet_gif' | 'tweet_video';

export function categoryOf({ kind, contentType }: Pick<Rendition, 'kind' | 'contentType'>): XCategory {
  if (kind === 'video') return 'tweet_video';
  return contentType === GIF ? 'tweet_gif' : 'tweet_image';
}

/**
 * Why X would not take it, in words for a person; null: it would. How long and how large a video may be is X's to say:
 * it depends on the subscription.
 */
export function problemOf({ media }: Pick<Publication, 'media'>): string | null {
  const alone = media.filter((file) => categoryOf(file) !== 'tweet_image').length;
  if (alone > 0 && media.length > 1) return 'A post on X has up to four pictures, or one GIF, or one video.';
  if (media.length > MAX_IMAGES) return `X takes at most ${MAX_IMAGES} pictures in a post.`;
  return media.map(fileProblem).find((problem) => problem !== null) ?? null;
}

function fileProblem(file: Rendition): string | null {
  switch (categoryOf(file)) {
    case 'tweet_image':
      if (!IMAGE_TYPES.has(file.contentType)) return 'X takes pictures as JPEG, PNG or WebP.';
      return tooLarge(file, MAX_IMAGE_BYTES, 'pictures');
    case 'tweet_gif':
      return tooLarge(file, MAX_GIF_BYTES, 'GIFs');
    case 'tweet_video':
      if (!VIDEO_TYPES.has(file.contentType)) return 'X takes videos as MP4 or MOV.';
      if (file.durationMs !== null && file.durationMs < MIN_VIDEO_MS) return 'X takes videos of half a second or more.';
      return file.bytes > MAX_VIDEO_BYTES ? 'Crier sends X videos of at most 4 GB.' : null;
  }
}

function tooLarge({ bytes }: Rendition, most: number, what: string): string | null {
  return bytes > most ? `X takes ${what} of at most ${most / 1_000_000} MB.` : null;
}

/** '' for none: X has no descriptions of videos. */
export function descriptionOf({ kind, altText }: Rendition): string {
  return kind === 'video' ? '' : altText.slice(0, MAX_ALT_TEXT).toWellFormed();
}
