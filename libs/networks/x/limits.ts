import type { JudgeOnce, LimitProblem, NetworkLimits } from '#domain/network-limits.ts';
import { altTextProblems, incomplete, ofFiles, problem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { unitsUpTo } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_ALT_TEXT, MAX_IMAGES, MAX_VIDEO_MS, MIN_VIDEO_MS, SUBSCRIBER_MAX_VIDEO_MS } from './media.ts';
import { hasInvalidCharacters, leastWeight, weightedLength } from './weighted-length.ts';

const MAX_LENGTH = 280;
const SUBSCRIBER_MAX_LENGTH = 25_000;
/** Beyond this, the message does not say by how much the text is too long. */
const MAX_OVER = 1_000;
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(['basic', 'premium', 'premiumplus', 'premium_plus']);
const CASHTAG = /(?:^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|\s|[!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi;

/** `kind`: a Channel's, which is X's subscription_type in lower case, '' for none. */
function maxLengthFor(kind: string): number {
  return isSubscriber(kind) ? SUBSCRIBER_MAX_LENGTH : MAX_LENGTH;
}

export const xLimits: NetworkLimits = {
  network: 'x',
  judge: ({ text, placement, channel, media, options }, once = (_key, judge) => judge()) => {
    if (placement === 'story') return [problem('placement', 'X has no Stories.')];
    if (text.trim() === '' && media.length === 0)
      return [incomplete('text', 'A post on X needs a text, pictures or a video.')];
    return [
      ...ofText('text', text, channel.kind, once),
      // A reply is a post of its own, by the same limits.
      ...(options.firstComment === undefined ? [] : ofText('firstComment', options.firstComment, channel.kind, once)),
      ...altTextProblems(media, { network: 'X', most: MAX_ALT_TEXT, ofPicturesOnly: true }),
      ...ofFiles(filesProblems(media, channel.kind)),
    ];
  },
  texts: ({ channel }) => {
    const words = { most: maxLengthFor(channel.kind), unit: 'characters', count: weightedLength } as const;
    return { text: words, firstComment: words, altText: unitsUpTo(MAX_ALT_TEXT) };
  },
};

/** At the start of a sentence for a person. */
const NAMED = { text: 'The text', firstComment: 'The first comment' } as const;
type Words = keyof typeof NAMED;

/** `kind`: a Channel's. */
function ofText(part: Words, text: string, kind: string, once: JudgeOnce): readonly LimitProblem[] {
  const most = maxLengthFor(kind);
  return once(`${part} ${most} ${text}`, () => measured(part, text, most));
}

function measured(part: Words, text: string, most: number): readonly LimitProblem[] {
  const what = NAMED[part];
  const problems: LimitProblem[] = [];
  const length = lengthToTell(text, most);
  if (length !== null)
    problems.push(
      problem(part, `${what} is too long for X: ${length} of at most ${most} characters as X counts them.`),
    );
  if (hasInvalidCharacters(text))
    problems.push(problem(part, `${what} holds a character that X refuses (a byte order mark or a non-character).`));
  if ((text.match(CASHTAG)?.length ?? 0) > 1)
    problems.push(problem(part, `${what} has several cashtags ($...), and X lets apps post at most one.`));
  return problems;
}

/** How long a text is that is too long; null: it fits. Only what may fit is worth counting. */
function lengthToTell(text: string, most: number): string | null {
  const least = leastWeight(text);
  if (least > most) return `more than ${least - 1}`;
  const enough = most + MAX_OVER;
  const length = weightedLength(text, enough);
  if (length > enough) return `more than ${enough}`;
  return length > most ? String(length) : null;
}

/** What is wrong with the files, in words for a person. X cuts nothing and neither do we. `kind`: a Channel's. */
export function filesProblems(files: readonly FileOfPost[], kind: string): readonly string[] {
  const videos = files.filter((file) => file.kind === 'video').length;
  const gifs = files.filter(({ contentType }) => contentType === 'image/gif').length;
  return [
    ...(videos > 1 ? [`X takes one video in a post; this one has ${videos}.`] : []),
    ...(videos > 0 && videos < files.length ? ['A post on X has pictures or a video, not both.'] : []),
    ...(videos === 0 && gifs > 0 && files.length > 1 ? ['X takes a GIF alone, without other files in the post.'] : []),
    ...(videos === 0 && files.length > MAX_IMAGES
      ? [`X takes at most ${MAX_IMAGES} pictures in a post; this one has ${files.length}.`]
      : []),
    ...(isSubscriber(kind)
      ? lengthProblems('X', files, [MIN_VIDEO_MS, SUBSCRIBER_MAX_VIDEO_MS])
      : lengthProblems('X', files, [MIN_VIDEO_MS, MAX_VIDEO_MS], 'without a subscription')),
  ];
}

export function isSubscriber(kind: string): boolean {
  return SUBSCRIPTIONS.has(kind.toLowerCase());
}
