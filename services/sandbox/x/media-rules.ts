import type { Account } from '../accounts.ts';
import type { SandboxFile } from '../files/files.ts';
import { stateOf, type Category, type Medium } from './medium.ts';

const MEGABYTE = 1_048_576;
const MAX_BYTES: Readonly<Record<Category, number>> = {
  tweet_image: 5 * MEGABYTE,
  tweet_gif: 15 * MEGABYTE,
  tweet_video: 8 * 1_024 * MEGABYTE,
};
const MAX_SUBSCRIBER_VIDEO_BYTES = 16 * 1_024 * MEGABYTE;

const TYPES: Readonly<Record<Category, readonly string[]>> = {
  tweet_image: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  tweet_gif: ['image/gif'],
  tweet_video: ['video/mp4', 'video/quicktime'],
};

/** Pixels on the long and on the short side, in either orientation. */
const MAX_VIDEO = { long: 1_280, short: 1_024 };
const MAX_SUBSCRIBER_VIDEO = { long: 1_920, short: 1_080 };
const MAX_GIF = { long: 1_280, short: 1_080 };
const NARROWEST_VIDEO_PX = 32;
const STEEPEST_RATIO = 3;
const MIN_VIDEO_MS = 500;
const MINUTE_MS = 60_000;
const MAX_VIDEO_MINUTES = 20;
const MAX_SUBSCRIBER_VIDEO_MINUTES = 125;
const MAX_IMAGES = 4;

const subscribes = ({ kind }: Pick<Account, 'kind'>) => kind !== 'None';

export function maxBytes(category: Category, account: Pick<Account, 'kind'>): number {
  return category === 'tweet_video' && subscribes(account) ? MAX_SUBSCRIBER_VIDEO_BYTES : MAX_BYTES[category];
}

export const typesOf = (category: Category): readonly string[] => TYPES[category];

function judgeVideo({ width, height, durationMs }: SandboxFile, account: Pick<Account, 'kind'>): string | null {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const largest = subscribes(account) ? MAX_SUBSCRIBER_VIDEO : MAX_VIDEO;
  if (short < NARROWEST_VIDEO_PX || short > largest.short || long > largest.long) return 'Invalid video dimensions';
  if (long > short * STEEPEST_RATIO) return 'Invalid video aspect ratio';
  return durationMs < MIN_VIDEO_MS ? 'Invalid video duration' : null;
}

/** The problem with the file in its category, by its bytes and not by its declared type; null: none. */
export function judgeFile(file: SandboxFile, category: Category, account: Pick<Account, 'kind'>): string | null {
  const what = category === 'tweet_video' ? 'video' : 'image';
  if (!TYPES[category].includes(file.contentType)) return `Unsupported ${what} format`;
  if (file.bytes > maxBytes(category, account)) return `File size exceeds ${maxBytes(category, account)} bytes.`;
  if (category === 'tweet_video') return judgeVideo(file, account);
  const [short, long] = [Math.min(file.width, file.height), Math.max(file.width, file.height)];
  return category === 'tweet_gif' && (long > MAX_GIF.long || short > MAX_GIF.short) ? 'Invalid image dimensions' : null;
}

/**
 * Those of `media` that a post may show together: up to four images, or one GIF, or one video, each of them once and
 * ready. null: it may not.
 */
export function shownTogether(media: readonly (Medium | null)[], now: number): readonly Medium[] | null {
  const ready = media.flatMap((medium) => (medium !== null && stateOf(medium, now) === 'succeeded' ? [medium] : []));
  if (ready.length < media.length || ready.length < 1 || ready.length > MAX_IMAGES) return null;
  if (new Set(ready.map(({ id }) => id)).size < ready.length) return null;
  return ready.length === 1 || ready.every(({ category }) => category === 'tweet_image') ? ready : null;
}

/** The minutes that a video of this account may last, where one of the media lasts longer; null: none does. */
export function exceededMinutes(media: readonly Medium[], account: Pick<Account, 'kind'>): number | null {
  const most = subscribes(account) ? MAX_SUBSCRIBER_VIDEO_MINUTES : MAX_VIDEO_MINUTES;
  return media.some(({ file }) => file !== null && file.durationMs > most * MINUTE_MS) ? most : null;
}
