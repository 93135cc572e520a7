import type { DraftFile, NetworkLimits } from '#domain/workspace/turn.ts';
import type { Blocker } from '#domain/workspace/results.ts';
import { MAX_PHOTOS } from './media.ts';

/** UTF-16 units. */
const MAX_LENGTH = 63_206;
const MAX_ALT_TEXT = 1000;

type Problem = Omit<Blocker, 'channelId'>;

export const facebookLimits: NetworkLimits = {
  network: 'facebook',
  judge: ({ text, placement, media }) => (placement === 'story' ? ofStory(media) : ofFeed(text, media)),
};

function ofStory(media: readonly DraftFile[]): readonly Problem[] {
  if (media.length === 0) return [{ code: 'incomplete', message: 'A Story on Facebook needs a picture or a video.' }];
  if (media.length > 1) return [{ code: 'problem', message: `A Story on Facebook is one picture or one video; this one has ${media.length} files.` }];
  return [];
}

function ofFeed(text: string, media: readonly DraftFile[]): readonly Problem[] {
  const problems: Problem[] = [];
  if (text.trim() === '' && media.length === 0) problems.push({ code: 'incomplete', message: 'A post on Facebook needs a text, pictures or a video.' });
  if (text.length > MAX_LENGTH) {
    problems.push({ code: 'problem', message: `The text is too long for Facebook: ${text.length} of at most ${MAX_LENGTH} characters.` });
  }
  const videos = media.filter(({ kind }) => kind === 'video').length;
  if (videos > 1) problems.push({ code: 'problem', message: `Facebook takes one video in a post; this one has ${videos}.` });
  if (videos > 0 && videos < media.length) problems.push({ code: 'problem', message: 'A post on Facebook has pictures or a video, not both.' });
  if (videos === 0 && media.length > MAX_PHOTOS) {
    problems.push({ code: 'problem', message: `Facebook takes at most ${MAX_PHOTOS} pictures in a post; this one has ${media.length}.` });
  }
  const longest = Math.max(0, ...media.map(({ altText }) => altText.length));
  if (longest > MAX_ALT_TEXT) {
    problems.push({ code: 'problem', message: `A description is too long for Facebook: ${longest} of at most ${MAX_ALT_TEXT} characters.` });
  }
  return problems;
}
