import type { NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, problem, type LimitProblem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_PHOTOS, VIDEO_MS } from './media.ts';

/** UTF-16 units, hashtags and mentions included. */
const MAX_VIDEO_TEXT = 2_200;
const MAX_PHOTOS_TEXT = 4_000;

export const tiktokLimits: NetworkLimits = {
  network: 'tiktok',
  judge: ({ text, placement, media }) => {
    if (placement === 'story') return [problem('TikTok takes no Stories from apps; post to the feed there.')];
    if (media.length === 0) return [incomplete('A post on TikTok needs a video or pictures.')];
    return [...ofText(text, media), ...filesProblems(media).map(problem)];
  },
};

/** A file of unknown kind may be a picture: the wider limit counts until it is known. */
function ofText(text: string, media: readonly DraftFile[]): readonly LimitProblem[] {
  const isVideo = media.some(({ kind }) => kind === 'video');
  const most = isVideo ? MAX_VIDEO_TEXT : MAX_PHOTOS_TEXT;
  const what = isVideo ? 'with a video' : 'with pictures';
  return text.length > most
    ? [problem(`The text is too long for TikTok: ${text.length} of at most ${most} characters ${what}.`)]
    : [];
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
