import { imageTarget, type ImageRules } from '#domain/media/image-target.ts';
import { stillTarget, type Target } from '#domain/media/target.ts';
import { coverBeyondEnd, coverOfVariant } from '#domain/post/covers.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { RenditionInput } from './make-rendition.ts';

/** The files of a Post whose bytes are in the store. */
export interface PostInputs {
  /** What it shows, in order. */
  readonly sources: readonly RenditionInput[];
  /** By asset; those of covers are among them. */
  readonly pictures: ReadonlyMap<string, RenditionInput>;
}

export type CoverOrder =
  | { readonly kind: 'make'; readonly source: RenditionInput; readonly target: Target }
  /** The Variant has no cover, or its Network takes the picture from the video itself. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly words: string };

const NOTHING: CoverOrder = { kind: 'nothing' };

/**
 * What is to be made for the cover of a Variant. `rules`: of its Network. Files by address are known only now, so what
 * could not be judged when the Post was created is judged here.
 */
export function coverOrderOf(
  { channelOptions }: Pick<Post, 'channelOptions'>,
  variant: Variant,
  { rules, sources, pictures }: PostInputs & { readonly rules: ImageRules | null },
): CoverOrder {
  const cover = coverOfVariant(variant, channelOptions);
  if (cover === null) return NOTHING;
  const video = sources.find(({ file }) => file.kind === 'video');
  if (video === undefined) return problem('only a video has one. Create the Post again without it.');
  if (cover.kind === 'picture') {
    const picture = pictures.get(cover.assetId);
    if (rules === null || picture?.file.kind !== 'image')
      return problem('it is no picture that can be used. Create the Post again with a JPEG, PNG or WebP file.');
    return { kind: 'make', source: picture, target: imageTarget(picture.file, rules) };
  }
  const { durationMs } = video.file;
  if (durationMs !== null && cover.atMs > durationMs) return problem(coverBeyondEnd(cover.atMs / 1000));
  if (cover.kind === 'instant' || rules === null) return NOTHING;
  return { kind: 'make', source: video, target: stillTarget(imageTarget(video.file, rules), cover.atMs) };
}

function problem(words: string): CoverOrder {
  return { kind: 'problem', words: ofCover(words) };
}

/** Tells the problem of a cover from one of the video, which has the same words. */
export function ofCover(words: string): string {
  return `The cover: ${words}`;
}
