import type { Blocker } from '#domain/workspace/results.ts';
import type { DraftFile, NetworkLimits } from '#domain/workspace/turn.ts';
import { MAX_ALT_TEXT, MAX_IMAGES, MAX_VIDEO_MS } from './media.ts';
import { hasInvalidCharacters, weightedLength } from './weighted-length.ts';

const MAX_LENGTH = 280;
const SUBSCRIBER_MAX_LENGTH = 25_000;
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(['basic', 'premium', 'premiumplus', 'premium_plus']);
const CASHTAG = /(?:^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|\s|[!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi;

type Problem = Omit<Blocker, 'channelId'>;

/** `kind`: a Channel's, which is X's subscription_type in lower case, '' for none. */
export function maxLengthFor(kind: string): number {
  return isSubscriber(kind) ? SUBSCRIBER_MAX_LENGTH : MAX_LENGTH;
}

export const xLimits: NetworkLimits = {
  network: 'x',
  judge: ({ text, placement, channel, media }) => {
    if (placement === 'story') return [problem('X has no Stories.')];
    if (text.trim() === '' && media.length === 0) return [{ code: 'incomplete', message: 'A post on X needs a text, pictures or a video.' }];
    return [...ofText(text, maxLengthFor(channel.kind)), ...ofMedia(media), ...ofLength(media, channel.kind)];
  },
};

function ofText(text: string, most: number): readonly Problem[] {
  const problems: Problem[] = [];
  const length = weightedLength(text);
  if (length > most) problems.push(problem(`The text is too long for X: ${length} of at most ${most} characters as X counts them.`));
  if (hasInvalidCharacters(text)) problems.push(problem('The text holds a character that X refuses (a byte order mark or a non-character).'));
  if ((text.match(CASHTAG)?.length ?? 0) > 1) problems.push(problem('X lets apps post at most one cashtag ($...).'));
  return problems;
}

function ofMedia(media: readonly DraftFile[]): readonly Problem[] {
  const problems: Problem[] = [];
  const videos = media.filter(({ kind }) => kind === 'video').length;
  const gifs = media.filter(({ contentType }) => contentType === 'image/gif').length;
  if (videos > 1) problems.push(problem(`X takes one video in a post; this one has ${videos}.`));
  if (videos > 0 && videos < media.length) problems.push(problem('A post on X has pictures or a video, not both.'));
  if (videos === 0 && gifs > 0 && media.length > 1) problems.push(problem('X takes a GIF alone, without other files in the post.'));
  if (videos === 0 && media.length > MAX_IMAGES) problems.push(problem(`X takes at most ${MAX_IMAGES} pictures in a post; this one has ${media.length}.`));
  const longest = Math.max(0, ...media.map(({ kind, altText }) => (kind === 'video' ? 0 : altText.length)));
  if (longest > MAX_ALT_TEXT) problems.push(problem(`A description is too long for X: ${longest} of at most ${MAX_ALT_TEXT} characters.`));
  return problems;
}

/** X cuts nothing and neither do we. */
function ofLength(media: readonly DraftFile[], kind: string): readonly Problem[] {
  const longestMs = Math.max(0, ...media.map(({ durationMs }) => durationMs ?? 0));
  if (longestMs <= MAX_VIDEO_MS || isSubscriber(kind)) return [];
  const seconds = Math.ceil(longestMs / 1000);
  return [problem(`The video is too long for X: ${seconds} of at most ${MAX_VIDEO_MS / 1000} seconds without a subscription.`)];
}

function isSubscriber(kind: string): boolean {
  return SUBSCRIPTIONS.has(kind.toLowerCase());
}

function problem(message: string): Problem {
  return { code: 'problem', message };
}
