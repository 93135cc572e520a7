import type { Placement } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, problem, tooMuch, type LimitProblem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_FILES, videoLimitsOf } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 2_200;
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;
const MAX_ALT_TEXT = 1000;
const HASHTAG = /[#＃][\p{L}\p{M}\p{N}_]+/gu;
/** Not what stands in a mail address. */
const MENTION = /(?<![\w.@])@\w[\w.]*/g;

export const instagramLimits: NetworkLimits = {
  network: 'instagram',
  judge: ({ text, placement, media }) => {
    if (media.length === 0) {
      const what = placement === 'story' ? 'Story' : 'post';
      return [
        ...(placement === 'story' ? [] : ofText(text, media)),
        incomplete(`A ${what} on Instagram needs a picture or a video.`),
      ];
    }
    return [...(placement === 'story' ? [] : ofText(text, media)), ...filesProblems(media, placement).map(problem)];
  },
};

/** What is wrong with the files, in words for a person. */
export function filesProblems(files: readonly FileOfPost[], placement: Placement): readonly string[] {
  if (placement === 'story' && files.length > 1)
    return [`A Story on Instagram is one picture or one video; this one has ${files.length} files.`];
  const where =
    placement === 'story'
      ? 'a Story on Instagram'
      : files.length > 1
        ? 'an Instagram post of several files'
        : 'Instagram';
  return [
    ...(files.length > MAX_FILES
      ? [`Instagram takes at most ${MAX_FILES} pictures and videos in a post; this one has ${files.length}.`]
      : []),
    ...lengthProblems(where, files, videoLimitsOf(placement, files.length).durationMs),
  ];
}

function ofText(text: string, media: readonly DraftFile[]): readonly LimitProblem[] {
  const hashtags = text.match(HASHTAG)?.length ?? 0;
  const mentions = text.match(MENTION)?.length ?? 0;
  const longest = Math.max(0, ...media.map(({ kind, altText }) => (kind === 'video' ? 0 : altText.length)));
  return [
    ...tooMuch(
      text.length,
      MAX_LENGTH,
      `The text is too long for Instagram: ${text.length} of at most ${MAX_LENGTH} characters.`,
    ),
    ...tooMuch(
      hashtags,
      MAX_HASHTAGS,
      `Instagram takes at most ${MAX_HASHTAGS} hashtags in a post; this one has ${hashtags}.`,
    ),
    ...tooMuch(
      mentions,
      MAX_MENTIONS,
      `Instagram takes at most ${MAX_MENTIONS} mentions (@...) in a post; this one has ${mentions}.`,
    ),
    ...tooMuch(
      longest,
      MAX_ALT_TEXT,
      `A description is too long for Instagram: ${longest} of at most ${MAX_ALT_TEXT} characters.`,
    ),
  ];
}
