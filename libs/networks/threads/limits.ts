import type { LimitProblem, NetworkLimits, TextLimit } from '#domain/network-limits.ts';
import { altTextProblems, incomplete, ofFiles, problem, tooMuch } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { unitsUpTo } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_ALT_TEXT, MAX_FILES, MAX_VIDEO_MS } from './media.ts';
import { leastLength, textLength } from './text-length.ts';

const MAX_LENGTH = 500;
const MAX_LINKS = 5;
const MAX_TOPIC = 50;
const WORDS: TextLimit = { most: MAX_LENGTH, unit: 'characters', count: textLength };
const TOPIC: TextLimit = { most: MAX_TOPIC, unit: 'characters', count: (topic) => [...topic].length };
const LINK = /https?:\/\/[^\s<>"]+/gi;

export const threadsLimits: NetworkLimits = {
  network: 'threads',
  judge: ({ text, placement, media, options }) => {
    if (placement === 'story') return [problem('placement', 'Threads has no Stories.')];
    const ofOptions = [...ofTopic(options.topicTag), ...ofWords(options.firstComment ?? '', COMMENT)];
    if (text.trim() === '' && media.length === 0)
      return [incomplete('text', 'A post on Threads needs a text, pictures or a video.'), ...ofOptions];
    return [
      ...ofWords(text, POST),
      ...altTextProblems(media, { network: 'Threads', most: MAX_ALT_TEXT }),
      ...ofFiles(filesProblems(media)),
      ...ofOptions,
    ];
  },
  texts: () => ({ text: WORDS, firstComment: WORDS, altText: unitsUpTo(MAX_ALT_TEXT), topicTag: TOPIC }),
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
export function filesProblems(files: readonly FileOfPost[]): readonly string[] {
  const many =
    files.length > MAX_FILES
      ? [`Threads takes at most ${MAX_FILES} pictures and videos in a post; this one has ${files.length}.`]
      : [];
  return [...many, ...lengthProblems('Threads', files, [0, MAX_VIDEO_MS])];
}

function ofWords(text: string, { part, text: named, thing }: Purpose): readonly LimitProblem[] {
  const length = lengthToTell(text);
  const links = new Set(text.match(LINK)).size;
  return [
    ...(length === null
      ? []
      : [
          problem(
            part,
            `${named} is too long for Threads: ${length} of at most ${MAX_LENGTH} characters (an emoji counts as several).`,
          ),
        ]),
    ...tooMuch(
      part,
      links,
      MAX_LINKS,
      `Threads takes at most ${MAX_LINKS} different links in ${thing}; this one has ${links}.`,
    ),
  ];
}

function ofTopic(topic: string | undefined): readonly LimitProblem[] {
  if (topic === undefined) return [];
  const length = TOPIC.count(topic);
  return [
    ...(topic.trim() === ''
      ? [problem('topicTag', 'The topic for Threads is empty: write one, or leave it out.')]
      : []),
    ...tooMuch(
      'topicTag',
      length,
      MAX_TOPIC,
      `The topic is too long for Threads: ${length} of at most ${MAX_TOPIC} characters.`,
    ),
    ...(/[.&]/.test(topic)
      ? [problem('topicTag', 'A topic on Threads has no full stop and no &: write it without them.')]
      : []),
  ];
}

/** How long a text is that is too long; null: it fits. Only what may fit is worth counting. */
function lengthToTell(text: string): string | null {
  const least = leastLength(text);
  if (least > MAX_LENGTH) return `more than ${least - 1}`;
  const length = textLength(text);
  return length > MAX_LENGTH ? String(length) : null;
}
