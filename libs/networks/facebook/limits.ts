import type { Placement } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, problem, type LimitProblem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { FEED_VIDEO_MS, MAX_PHOTOS, STORY_MS } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 63_206;
const MAX_ALT_TEXT = 1000;

export const facebookLimits: NetworkLimits = {
  network: 'facebook',
  judge: ({ text, placement, media }) => {
    if (placement === 'story')
      return media.length === 0
        ? [incomplete('A Story on Facebook needs a picture or a video.')]
        : filesProblems(media, placement).map(problem);
    const nothing: readonly LimitProblem[] =
      text.trim() === '' && media.length === 0
        ? [incomplete('A post on Facebook needs a text, pictures or a video.')]
        : [];
    return [...nothing, ...ofText(text, media), ...filesProblems(media, placement).map(problem)];
  },
};

/** What is wrong with the files, in words for a person. */
export function filesProblems(files: readonly FileOfPost[], placement: Placement): readonly string[] {
  if (placement === 'story') {
    if (files.length > 1)
      return [`A Story on Facebook is one picture or one video; this one has ${files.length} files.`];
    return lengthProblems('a Story on Facebook', files, STORY_MS);
  }
  const videos = files.filter(({ kind }) => kind === 'video').length;
  return [
    ...(videos > 1 ? [`Facebook takes one video in a post; this one has ${videos}.`] : []),
    ...(videos > 0 && videos < files.length ? ['A post on Facebook has pictures or a video, not both.'] : []),
    ...(videos === 0 && files.length > MAX_PHOTOS
      ? [`Facebook takes at most ${MAX_PHOTOS} pictures in a post; this one has ${files.length}.`]
      : []),
    ...lengthProblems('Facebook', files, FEED_VIDEO_MS),
  ];
}

function ofText(text: string, media: readonly DraftFile[]): readonly LimitProblem[] {
  const longest = Math.max(0, ...media.map(({ altText }) => altText.length));
  return [
    ...(text.length > MAX_LENGTH
      ? [problem(`The text is too long for Facebook: ${text.length} of at most ${MAX_LENGTH} characters.`)]
      : []),
    ...(longest > MAX_ALT_TEXT
      ? [problem(`A description is too long for Facebook: ${longest} of at most ${MAX_ALT_TEXT} characters.`)]
      : []),
  ];
}
