import type { NetworkOptions } from '#domain/network-options.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import type { ThreadsKind } from './handle.ts';

export const MAX_FILES = 20;
/** UTF-16 units. */
export const MAX_ALT_TEXT = 1000;
export const MAX_VIDEO_MS = 300_000;
export const MAX_IMAGE_BYTES = 8_000_000;
export const MAX_VIDEO_BYTES = 1_000_000_000;
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);
const VIDEO_TYPES: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);

type Given = Pick<Publication, 'media' | 'text' | 'options'>;

export function kindOf({ media }: Pick<Publication, 'media'>): ThreadsKind {
  const [first, ...others] = media;
  if (first === undefined) return 'TEXT';
  if (others.length > 0) return 'CAROUSEL';
  return first.kind === 'image' ? 'IMAGE' : 'VIDEO';
}

/** Why Threads would not take it, in words for a person; null: it would. */
export function problemOf({ media }: Pick<Publication, 'media'>): string | null {
  if (media.length > MAX_FILES) return `Threads takes at most ${MAX_FILES} pictures and videos in a post.`;
  return (
    media
      .map((file) => (file.kind === 'image' ? imageProblem(file) : videoProblem(file)))
      .find((problem) => problem !== null) ?? null
  );
}

function imageProblem({ contentType, bytes }: Rendition): string | null {
  if (!IMAGE_TYPES.has(contentType)) return 'Threads takes pictures as JPEG or PNG.';
  return bytes > MAX_IMAGE_BYTES ? 'Threads takes pictures of at most 8 MB.' : null;
}

function videoProblem({ contentType, bytes, durationMs }: Rendition): string | null {
  if (!VIDEO_TYPES.has(contentType)) return 'Threads takes videos as MP4 or MOV.';
  if (bytes > MAX_VIDEO_BYTES) return 'Threads takes videos of at most 1 GB.';
  return durationMs !== null && durationMs > MAX_VIDEO_MS ? 'Threads takes videos of at most 5 minutes.' : null;
}

type Fields = Readonly<Record<string, string>>;

/** Of the container to publish: a text, a file with its text, or a carousel that holds `children`. */
export function containerFields({ media, text, options }: Given, children: readonly string[]): Fields {
  const [file] = media;
  const chosen = chosenFields(options);
  if (file === undefined) return { media_type: 'TEXT', text, ...chosen };
  const words: Fields = { ...(text.trim() !== '' && { text }), ...chosen };
  return media.length > 1
    ? { media_type: 'CAROUSEL', children: children.join(','), ...words }
    : { ...fileFields(file), ...words };
}

export function childFields(file: Rendition): Fields {
  return { ...fileFields(file), is_carousel_item: 'true' };
}

/** Who may reply, in the words of Threads. */
const REPLY_CONTROLS = {
  everyone: 'everyone',
  followed: 'accounts_you_follow',
  mentioned: 'mentioned_only',
} as const satisfies Readonly<Record<NonNullable<NetworkOptions['replyControl']>, string>>;

function chosenFields({ topicTag, replyControl }: NetworkOptions): Fields {
  return {
    ...(topicTag !== undefined && { topic_tag: topicTag }),
    ...(replyControl !== undefined && { reply_control: REPLY_CONTROLS[replyControl] }),
  };
}

/** Threads fetches files itself. */
function fileFields({ kind, url, altText }: Rendition): Fields {
  const address: Fields =
    kind === 'image' ? { media_type: 'IMAGE', image_url: url } : { media_type: 'VIDEO', video_url: url };
  return altText === '' ? address : { ...address, alt_text: altText.slice(0, MAX_ALT_TEXT).toWellFormed() };
}
