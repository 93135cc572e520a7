import type { Placement } from '#domain/network.ts';
import type { LimitProblem, NetworkLimits } from '#domain/network-limits.ts';
import { altTextProblems, incomplete, ofFiles, tooMuch } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { unitsUpTo } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { FEED_VIDEO_MS, MAX_PHOTOS, STORY_MS } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 63_206;
const MAX_COMMENT_LENGTH = 8_000;
const MAX_ALT_TEXT = 1000;

export const facebookLimits: NetworkLimits = {
  network: 'facebook',
  judge: ({ text, placement, media, options }) => {
    if (placement === 'story')
      return media.length === 0
        ? [incomplete('media', 'A Story on Facebook needs a picture or a video.')]
        : ofFiles(filesProblems(media, placement));
    const nothing: readonly LimitProblem[] =
      text.trim() === '' && media.length === 0
        ? [incomplete('text', 'A post on Facebook needs a text, pictures or a video.')]
        : [];
    return [
      ...nothing,
      ...ofText(text),
      ...altTextProblems(media, { network: 'Facebook', most: MAX_ALT_TEXT }),
      ...ofFirstComment(options.firstComment ?? ''),
      ...ofFiles(filesProblems(media, placement)),
    ];
  },
  texts: ({ placement }) =>
    placement === 'story'
      ? {}
      : {
          text: unitsUpTo(MAX_LENGTH),
          firstComment: unitsUpTo(MAX_COMMENT_LENGTH),
          altText: unitsUpTo(MAX_ALT_TEXT),
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

function ofText({ length }: string): readonly LimitProblem[] {
  const message = `The text is too long for Facebook: ${length} of at most ${MAX_LENGTH} characters.`;
  return tooMuch('text', length, MAX_LENGTH, message);
}

function ofFirstComment({ length }: string): readonly LimitProblem[] {
  const message = `The first comment is too long for Facebook: ${length} of at most ${MAX_COMMENT_LENGTH} characters.`;
  return tooMuch('firstComment', length, MAX_COMMENT_LENGTH, message);
}
