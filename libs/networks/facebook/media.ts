import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { unfitFiles, type UnfitFiles } from '../contract/answers.ts';
import type { FacebookHandle } from './handle.ts';

export const MAX_PHOTOS = 10;
/** Of a cover, too. */
export const MAX_PHOTO_BYTES = 10_000_000;

const REEL_RATIO = 9 / 16;
/** Encoders round sides to even numbers. */
const RATIO_ROOM = 0.01;
/** Of a reel, and of a video in a Story. */
const MIN_UPRIGHT = { width: 540, height: 960 } as const;
export const REEL_MS = [3_000, 90_000] as const;
export const STORY_MS = [1_000, 60_000] as const;
export const FEED_VIDEO_MS = [0, 240 * 60_000] as const;

export type PostKind = { readonly kind: FacebookHandle['kind'] } | UnfitFiles;

/**
 * How a publication goes to a Page. A single video is a reel when it could have been made as one, that is upright 9:16,
 * at least 540x960, 3 to 90 s: that is where people look for those; every other one is a feed video, which takes any
 * shape and length.
 */
export function kindOf({ placement, media }: Pick<Publication, 'placement' | 'media'>): PostKind {
  const [first, ...others] = media;
  const videos = media.filter(({ kind }) => kind === 'video').length;
  if (placement === 'story') {
    if (first === undefined || others.length > 0) return unfitFiles('A Story on Facebook is one picture or one video.');
    if (first.kind === 'image') return photoOf(first, 'photoStory');
    return isWithin(first.durationMs, STORY_MS)
      ? { kind: 'videoStory' }
      : unfitFiles('A video in a Story on Facebook lasts 1 to 60 seconds.');
  }
  if (videos === 0) {
    if (media.length > MAX_PHOTOS) return unfitFiles(`Facebook takes at most ${MAX_PHOTOS} pictures in a post.`);
    return media.find((each) => each.bytes > MAX_PHOTO_BYTES) === undefined ? { kind: 'post' } : unfitFiles(TOO_LARGE);
  }
  if (others.length > 0 || first === undefined)
    return unfitFiles('A post on Facebook has pictures or one video, not both.');
  return { kind: isReel(first) ? 'reel' : 'video' };
}

const TOO_LARGE = 'Facebook takes pictures of at most 10 MB.';

function photoOf(photo: Rendition, kind: 'photoStory'): PostKind {
  return photo.bytes > MAX_PHOTO_BYTES ? unfitFiles(TOO_LARGE) : { kind };
}

export function isReel({ width, height, durationMs }: Pick<Rendition, 'width' | 'height' | 'durationMs'>): boolean {
  const fits =
    Math.abs(width / height - REEL_RATIO) <= RATIO_ROOM && width >= MIN_UPRIGHT.width && height >= MIN_UPRIGHT.height;
  return fits && durationMs !== null && isWithin(durationMs, REEL_MS);
}

function isWithin(durationMs: number | null, [least, most]: readonly [number, number]): boolean {
  return durationMs === null || (durationMs >= least && durationMs <= most);
}
