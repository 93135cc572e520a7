import type { NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, problem, tooMuch, type LimitProblem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_ALT_TEXT, MAX_FILES, MAX_VIDEO_MS } from './media.ts';
import { leastLength, textLength } from './text-length.ts';

const MAX_LENGTH = 500;
const MAX_LINKS = 5;
const LINK = /https?:\/\/[^\s<>"]+/gi;

export const threadsLimits: NetworkLimits = {
  network: 'threads',
  judge: ({ text, placement, media }) => {
    if (placement === 'story') return [problem('Threads has no Stories.')];
    if (text.trim() === '' && media.length === 0)
      return [incomplete('A post on Threads needs a text, pictures or a video.')];
    return [...ofText(text, media), ...filesProblems(media).map(problem)];
  },
};

/** What is wrong with the files, in words for a person. */
export function filesProblems(files: readonly FileOfPost[]): readonly string[] {
  const many =
    files.length > MAX_FILES
      ? [`Threads takes at most ${MAX_FILES} pictures and videos in a post; this one has ${files.length}.`]
      : [];
  return [...many, ...lengthProblems('Threads', files, [0, MAX_VIDEO_MS])];
}

function ofText(text: string, media: readonly DraftFile[]): readonly LimitProblem[] {
  const length = lengthToTell(text);
  const links = new Set(text.match(LINK)).size;
  const longest = Math.max(0, ...media.map(({ altText }) => altText.length));
  return [
    ...(length === null
      ? []
      : [
          problem(
            `The text is too long for Threads: ${length} of at most ${MAX_LENGTH} characters (an emoji counts as several).`,
          ),
        ]),
    ...tooMuch(
      links,
      MAX_LINKS,
      `Threads takes at most ${MAX_LINKS} different links in a post; this one has ${links}.`,
    ),
    ...tooMuch(
      longest,
      MAX_ALT_TEXT,
      `A description is too long for Threads: ${longest} of at most ${MAX_ALT_TEXT} characters.`,
    ),
  ];
}

/** How long a text is that is too long; null: it fits. Only what may fit is worth counting. */
function lengthToTell(text: string): string | null {
  const least = leastLength(text);
  if (least > MAX_LENGTH) return `more than ${least - 1}`;
  const length = textLength(text);
  return length > MAX_LENGTH ? String(length) : null;
}
