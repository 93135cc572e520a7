import type { Publication } from '../contract/adapter.ts';
import type { PhotosHandle } from './handle.ts';
import type { Creator } from './creator.ts';

/**
 * What a post says of itself. TikTok's guidelines want a person to choose each of these: what was not chosen is not
 * allowed to others, and not declared. What the account forbids stays forbidden.
 */
function declared({ options }: Publication, level: string, isCommentOff: boolean): object {
  return {
    privacy_level: level,
    disable_comment: isCommentOff || options.allowComments !== true,
    brand_content_toggle: options.brandedContent === true,
    brand_organic_toggle: options.ownBrand === true,
  };
}

export function videoInfo(publication: Publication, creator: Creator, level: string): object {
  const { text, options, cover } = publication;
  return {
    // TikTok's name for the caption of a video.
    ...(text === '' ? {} : { title: text }),
    ...declared(publication, level, creator.isCommentOff),
    disable_duet: creator.isDuetOff || options.allowDuet !== true,
    disable_stitch: creator.isStitchOff || options.allowStitch !== true,
    is_aigc: options.aiGenerated === true,
    ...(cover?.kind === 'instant' ? { video_cover_timestamp_ms: Math.round(cover.atMs) } : {}),
  };
}

/** TikTok shows the title above the description: without a title, the text stands there once. */
export function photosInfo(publication: Publication, { privacy, isCommentOff }: PhotosHandle): object {
  const { text, title, options } = publication;
  return {
    ...(title === null || title === '' ? {} : { title }),
    ...(text === '' ? {} : { description: text }),
    ...declared(publication, privacy, isCommentOff),
    auto_add_music: options.autoMusic === true,
  };
}
