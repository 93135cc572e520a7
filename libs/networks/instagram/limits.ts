import type { Blocker } from '#domain/workspace/results.ts';
import type { DraftFile, NetworkLimits } from '#domain/workspace/turn.ts';
import { MAX_FILES } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 2_200;
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;
const MAX_ALT_TEXT = 1000;
const HASHTAG = /[#＃][\p{L}\p{M}\p{N}_]+/gu;
/** Not what stands in a mail address. */
const MENTION = /(?<![\w.@])@\w[\w.]*/g;

type Problem = Omit<Blocker, 'channelId'>;

export const instagramLimits: NetworkLimits = {
  network: 'instagram',
  judge: ({ text, placement, media }) => (placement === 'story' ? ofStory(media) : [...ofText(text), ...ofMedia(media)]),
};

function ofStory(media: readonly DraftFile[]): readonly Problem[] {
  if (media.length === 0) return [{ code: 'incomplete', message: 'A Story on Instagram needs a picture or a video.' }];
  if (media.length > 1) return [{ code: 'problem', message: `A Story on Instagram is one picture or one video; this one has ${media.length} files.` }];
  return [];
}

function ofText(text: string): readonly Problem[] {
  const hashtags = text.match(HASHTAG)?.length ?? 0;
  const mentions = text.match(MENTION)?.length ?? 0;
  return [
    ...tooMany(text.length, MAX_LENGTH, `The text is too long for Instagram: ${text.length} of at most ${MAX_LENGTH} characters.`),
    ...tooMany(hashtags, MAX_HASHTAGS, `Instagram takes at most ${MAX_HASHTAGS} hashtags in a post; this one has ${hashtags}.`),
    ...tooMany(mentions, MAX_MENTIONS, `Instagram takes at most ${MAX_MENTIONS} mentions (@...) in a post; this one has ${mentions}.`),
  ];
}

function ofMedia(media: readonly DraftFile[]): readonly Problem[] {
  if (media.length === 0) return [{ code: 'incomplete', message: 'A post on Instagram needs a picture or a video.' }];
  const longest = Math.max(...media.map(({ kind, altText }) => (kind === 'video' ? 0 : altText.length)));
  return [
    ...tooMany(media.length, MAX_FILES, `Instagram takes at most ${MAX_FILES} pictures and videos in a post; this one has ${media.length}.`),
    ...tooMany(longest, MAX_ALT_TEXT, `A description is too long for Instagram: ${longest} of at most ${MAX_ALT_TEXT} characters.`),
  ];
}

function tooMany(count: number, most: number, message: string): readonly Problem[] {
  return count > most ? [{ code: 'problem', message }] : [];
}
