import type { Placement } from '#domain/network.ts';
import type { JudgeOnce, LimitProblem, NetworkLimits } from '#domain/network-limits.ts';
import type { Cover } from '#domain/post/channel-options.ts';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { altTextProblems, incomplete, ofFiles, problem, tooMuch } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { unitsUpTo } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_FILES, videoLimitsOf } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 2_200;
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;
const MAX_ALT_TEXT = 1000;
const ALT_TEXT = { network: 'Instagram', most: MAX_ALT_TEXT, ofPicturesOnly: true } as const;
const MAX_COLLABORATORS = 3;
const MAX_USER_TAGS = 20;
const HASHTAG = /[#＃][\p{L}\p{M}\p{N}_]+/gu;
/** Not what stands in a mail address. */
const MENTION = /(?<![\w.@])@\w[\w.]*/g;

export const instagramLimits: NetworkLimits = {
  network: 'instagram',
  judge: (draft, once = (_key, judge) => judge()) => {
    const { text, placement, media } = draft;
    const what = placement === 'story' ? 'Story' : 'post';
    return [
      ...(placement === 'story' ? [] : [...ofWords(text, POST, once), ...altTextProblems(media, ALT_TEXT)]),
      ...ofOptions(draft, once),
      ...(media.length === 0
        ? [incomplete('media', `A ${what} on Instagram needs a picture or a video.`)]
        : ofFiles(filesProblems(media, placement))),
    ];
  },
  texts: ({ placement }) =>
    placement === 'story'
      ? {}
      : { text: unitsUpTo(MAX_LENGTH), firstComment: unitsUpTo(MAX_LENGTH), altText: unitsUpTo(MAX_ALT_TEXT) },
};

/** What a text is for, in words for a person. */
interface Purpose {
  readonly part: 'text' | 'firstComment';
  /** At the start of a sentence. */
  readonly text: string;
  readonly thing: string;
}

const POST: Purpose = { part: 'text', text: 'The text', thing: 'a post' };
const COMMENT: Purpose = { part: 'firstComment', text: 'The first comment', thing: 'a comment' };

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

function ofWords(text: string, purpose: Purpose, once: JudgeOnce): readonly LimitProblem[] {
  return once(`${purpose.text} ${text}`, () => counted(text, purpose));
}

function counted(text: string, { part, text: named, thing }: Purpose): readonly LimitProblem[] {
  const hashtags = text.match(HASHTAG)?.length ?? 0;
  const mentions = text.match(MENTION)?.length ?? 0;
  return [
    ...tooMuch(
      part,
      text.length,
      MAX_LENGTH,
      `${named} is too long for Instagram: ${text.length} of at most ${MAX_LENGTH} characters.`,
    ),
    ...tooMuch(
      part,
      hashtags,
      MAX_HASHTAGS,
      `Instagram takes at most ${MAX_HASHTAGS} hashtags in ${thing}; this one has ${hashtags}.`,
    ),
    ...tooMuch(
      part,
      mentions,
      MAX_MENTIONS,
      `Instagram takes at most ${MAX_MENTIONS} mentions (@...) in ${thing}; this one has ${mentions}.`,
    ),
  ];
}

function ofOptions({ options, placement, media }: Draft, once: JudgeOnce): readonly LimitProblem[] {
  const { collaborators = [], userTags = [], firstComment = '' } = options;
  if (placement === 'story') {
    // Of a Post that is both, the options are those of the one in the feed.
    return collaborators.length > 0 && options.placement !== 'feed_and_story'
      ? [problem('collaborators', 'A Story on Instagram has no collaborators: leave them out, or publish to the feed.')]
      : [];
  }
  return [
    ...tooMuch(
      'collaborators',
      collaborators.length,
      MAX_COLLABORATORS,
      `Instagram takes at most ${MAX_COLLABORATORS} collaborators; this post has ${collaborators.length}.`,
    ),
    ...tooMuch(
      'userTags',
      userTags.length,
      MAX_USER_TAGS,
      `Instagram takes at most ${MAX_USER_TAGS} marked accounts in a post; this one has ${userTags.length}.`,
    ),
    ...ofCover(options.cover, media),
    ...ofWords(firstComment, COMMENT, once),
  ];
}

/** What is wrong with a cover on every Network alike is judged before: in a Story, of pictures, beyond the end. */
function ofCover(cover: Cover | undefined, media: readonly DraftFile[]): readonly LimitProblem[] {
  const isCarousel = media.length > 1 && media.some(({ kind }) => kind !== 'image');
  return cover !== undefined && isCarousel
    ? [problem('cover', 'A cover on Instagram is for a reel, a post of one video: leave it out here.')]
    : [];
}
