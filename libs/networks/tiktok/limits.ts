import type { LimitProblem, NetworkLimits } from '#domain/network-limits.ts';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, ofFiles, problem, tooMuch } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { unitsUpTo } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { declarationProblems } from './declarations.ts';
import { MAX_PHOTOS, VIDEO_MS } from './media.ts';
import { NO_PRIVACY } from './privacy.ts';

/** UTF-16 units, hashtags and mentions included. */
const MAX_VIDEO_TEXT = 2_200;
const MAX_PHOTOS_TEXT = 4_000;
const MAX_PHOTOS_TITLE = 90;

export const tiktokLimits: NetworkLimits = {
  network: 'tiktok',
  judge: ({ text, placement, media, options }) => {
    if (placement === 'story')
      return [problem('placement', 'TikTok takes no Stories from apps; post to the feed there.')];
    if (media.length === 0) return [incomplete('media', 'A post on TikTok needs a video or pictures.')];
    return [...ofText(text, media), ...ofFiles(filesProblems(media)), ...ofOptions(options, media)];
  },
  texts: ({ media }) => ({ text: unitsUpTo(mostText(media)), title: unitsUpTo(MAX_PHOTOS_TITLE) }),
};

/** A file of unknown kind may be a picture: the wider limit counts until it is known. */
function mostText(media: readonly DraftFile[]): number {
  return media.some(({ kind }) => kind === 'video') ? MAX_VIDEO_TEXT : MAX_PHOTOS_TEXT;
}

function ofText(text: string, media: readonly DraftFile[]): readonly LimitProblem[] {
  const isVideo = media.some(({ kind }) => kind === 'video');
  const most = mostText(media);
  const what = isVideo ? 'with a video' : 'with pictures';
  return text.length > most
    ? [problem('text', `The text is too long for TikTok: ${text.length} of at most ${most} characters ${what}.`)]
    : [];
}

function ofOptions(options: ChannelOptions, media: readonly DraftFile[]): readonly LimitProblem[] {
  const { privacy, title = '' } = options;
  const isVideo = media.some(({ kind }) => kind === 'video');
  const isPhotos = media.every(({ kind }) => kind === 'image');
  return [
    ...(privacy === undefined ? [incomplete('privacy', NO_PRIVACY)] : []),
    ...declarationProblems(options, isPhotos),
    ...(isVideo && title !== ''
      ? [problem('title', 'TikTok has titles for pictures only. Leave the title out, or put it into the text.')]
      : []),
    ...(isVideo
      ? []
      : tooMuch(
          'title',
          title.length,
          MAX_PHOTOS_TITLE,
          `The title is too long for TikTok: ${title.length} of at most ${MAX_PHOTOS_TITLE} characters.`,
        )),
  ];
}

/** What is wrong with the files, in words for a person. */
export function filesProblems(files: readonly FileOfPost[]): readonly string[] {
  const videos = files.filter(({ kind }) => kind === 'video').length;
  return [
    ...(videos > 1 ? [`TikTok takes one video in a post; this one has ${videos}.`] : []),
    ...(videos > 0 && videos < files.length ? ['A post on TikTok has pictures or a video, not both.'] : []),
    ...(videos === 0 && files.length > MAX_PHOTOS
      ? [`TikTok takes at most ${MAX_PHOTOS} pictures in a post; this one has ${files.length}.`]
      : []),
    ...lengthProblems('TikTok', files, VIDEO_MS),
  ];
}
