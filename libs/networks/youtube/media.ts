import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { unfitFiles, type UnfitFiles } from '../contract/answers.ts';

const MAX_BYTES = 256_000_000_000;
/** Of verified channels; others may have 15 minutes, which YouTube itself says when it has the video. */
export const MAX_MS = 12 * 3_600_000;
const IS_VIDEO = /^(video\/[\w.+-]+|application\/octet-stream)$/i;

export type PostKind = { readonly kind: 'video'; readonly file: Rendition } | UnfitFiles;

/** The video of a publication, or why YouTube would not take it, in words for a person. */
export function videoOf({ placement, media }: Pick<Publication, 'placement' | 'media'>): PostKind {
  const [file, ...others] = media;
  if (placement === 'story') return unfitFiles('YouTube takes no Stories.');
  if (file === undefined) return unfitFiles('A post on YouTube needs a video.');
  if (others.length > 0 || file.kind !== 'video')
    return unfitFiles('A post on YouTube is one video, without pictures.');
  if (!IS_VIDEO.test(file.contentType)) return unfitFiles(`YouTube takes videos; this file is ${file.contentType}.`);
  if (file.bytes === 0) return unfitFiles('The video is empty.');
  if (file.bytes > MAX_BYTES) return unfitFiles('YouTube takes videos of at most 256 GB.');
  if (file.durationMs !== null && file.durationMs > MAX_MS)
    return unfitFiles('YouTube takes videos of at most 12 hours.');
  return { kind: 'video', file };
}
