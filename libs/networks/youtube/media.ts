import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';

const MAX_BYTES = 256_000_000_000;
/** Of verified channels; others may have 15 minutes, which YouTube itself says when it has the video. */
export const MAX_MS = 12 * 3_600_000;
const IS_VIDEO = /^(video\/[\w.+-]+|application\/octet-stream)$/i;

export type PostKind =
  { readonly kind: 'video'; readonly file: Rendition } | { readonly kind: 'wrong'; readonly detail: string };

/** The video of a publication, or why YouTube would not take it, in words for a person. */
export function videoOf({ placement, media }: Pick<Publication, 'placement' | 'media'>): PostKind {
  const [file, ...others] = media;
  if (placement === 'story') return wrong('YouTube takes no Stories.');
  if (file === undefined) return wrong('A post on YouTube needs a video.');
  if (others.length > 0 || file.kind !== 'video') return wrong('A post on YouTube is one video, without pictures.');
  if (!IS_VIDEO.test(file.contentType)) return wrong(`YouTube takes videos; this file is ${file.contentType}.`);
  if (file.bytes === 0) return wrong('The video is empty.');
  if (file.bytes > MAX_BYTES) return wrong('YouTube takes videos of at most 256 GB.');
  if (file.durationMs !== null && file.durationMs > MAX_MS) return wrong('YouTube takes videos of at most 12 hours.');
  return { kind: 'video', file };
}

function wrong(detail: string): PostKind {
  return { kind: 'wrong', detail };
}
