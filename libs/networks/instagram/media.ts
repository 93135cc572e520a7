import type { NetworkOptions } from '#domain/network-options.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';

export const MAX_FILES = 10;
const MAX_ALT_TEXT = 1000;
export const MAX_IMAGE_BYTES = 8_000_000;
const MINUTE_MS = 60_000;

export interface VideoLimits {
  readonly bytes: number;
  readonly durationMs: readonly [number, number];
}

const REEL: VideoLimits = { bytes: 300_000_000, durationMs: [3_000, 15 * MINUTE_MS] };
const CAROUSEL_VIDEO: VideoLimits = { bytes: 300_000_000, durationMs: [3_000, MINUTE_MS] };
const STORY_VIDEO: VideoLimits = { bytes: 100_000_000, durationMs: [3_000, MINUTE_MS] };

/** Of a post with `count` files. */
export function videoLimitsOf(placement: Publication['placement'], count: number): VideoLimits {
  if (placement === 'story') return STORY_VIDEO;
  return count > 1 ? CAROUSEL_VIDEO : REEL;
}

type Given = Pick<Publication, 'placement' | 'media' | 'text' | 'options' | 'cover'>;

/** Why Instagram would not take it, in words for a person; null: it would. */
export function problemOf({ placement, media, cover }: Pick<Given, 'placement' | 'media' | 'cover'>): string | null {
  if (placement === 'story' && media.length !== 1) return 'A Story on Instagram is one picture or one video.';
  if (media.length === 0) return 'A post on Instagram needs a picture or a video.';
  if (media.length > MAX_FILES) return `Instagram takes at most ${MAX_FILES} pictures and videos in a post.`;
  if (cover?.kind === 'picture' && cover.file.bytes > MAX_IMAGE_BYTES)
    return 'Instagram takes pictures of at most 8 MB, also as the cover of a reel.';
  const rules = videoLimitsOf(placement, media.length);
  return (
    media
      .map((file) => (file.kind === 'image' ? imageProblem(file) : videoProblem(file, rules)))
      .find((problem) => problem !== null) ?? null
  );
}

function imageProblem({ bytes }: Rendition): string | null {
  return bytes > MAX_IMAGE_BYTES ? 'Instagram takes pictures of at most 8 MB.' : null;
}

function videoProblem({ bytes, durationMs }: Rendition, rules: VideoLimits): string | null {
  const [least, most] = rules.durationMs;
  if (bytes > rules.bytes) return `Instagram takes videos of at most ${rules.bytes / 1_000_000} MB here.`;
  if (durationMs === null || (durationMs >= least && durationMs <= most)) return null;
  return `Instagram takes videos of ${least / 1000} to ${most / 1000} seconds here.`;
}

type Fields = Readonly<Record<string, string>>;

/** Of the one container of a Story, a picture or a reel, or of a carousel that holds `children`. */
export function containerFields(given: Given, children: readonly string[]): Fields {
  const { placement, media, text, options } = given;
  const [file] = media;
  if (file === undefined) throw new Error('nothing for Instagram to show');
  if (placement === 'story') return { media_type: 'STORIES', ...addressOf(file), ...tagsOf(file, options) };
  const words: Fields = { ...(text !== '' && { caption: text }), ...collaboratorsOf(options) };
  if (media.length > 1) return { media_type: 'CAROUSEL', children: children.join(','), ...words };
  const shown: Fields = { ...addressOf(file), ...words, ...tagsOf(file, options) };
  if (file.kind === 'image') return { ...shown, ...altTextOf(file) };
  return { media_type: 'REELS', ...shown, share_to_feed: String(options.shareToFeed ?? true), ...coverOf(given) };
}

/** Of one file of a carousel. Its first picture is where accounts are marked; its first video, if it has none. */
export function childFields(file: Rendition, { media, options }: Pick<Given, 'media' | 'options'>): Fields {
  const tagged = media.find(({ kind }) => kind === 'image') ?? media[0];
  return {
    is_carousel_item: 'true',
    ...(file.kind === 'image' ? altTextOf(file) : { media_type: 'VIDEO' }),
    ...addressOf(file),
    ...(file === tagged && tagsOf(file, options)),
  };
}

function collaboratorsOf({ collaborators = [] }: NetworkOptions): Fields {
  return collaborators.length === 0 ? {} : { collaborators: JSON.stringify(collaborators.map(bareName)) };
}

/** A picture has places for accounts; Instagram takes those of a video by their names alone. */
function tagsOf({ kind }: Rendition, { userTags = [] }: NetworkOptions): Fields {
  if (userTags.length === 0) return {};
  const tags = userTags.map(({ username, x, y }) => ({
    username: bareName(username),
    ...(kind === 'image' && { x, y }),
  }));
  return { user_tags: JSON.stringify(tags) };
}

function coverOf({ cover }: Pick<Given, 'cover'>): Fields {
  if (cover === null) return {};
  return cover.kind === 'picture' ? { cover_url: cover.file.url } : { thumb_offset: String(Math.round(cover.atMs)) };
}

/** Instagram's names have no @. */
function bareName(username: string): string {
  return username.trim().replace(/^@/, '');
}

/** Instagram fetches files itself. */
function addressOf({ kind, url }: Rendition): Fields {
  return kind === 'image' ? { image_url: url } : { video_url: url };
}

function altTextOf({ altText }: Rendition): Fields {
  return altText === '' ? {} : { alt_text: altText.slice(0, MAX_ALT_TEXT).toWellFormed() };
}
