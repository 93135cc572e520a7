import type { NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { incomplete, problem, type LimitProblem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_MS } from './media.ts';
import { codePoints, FORBIDDEN, givenTitle, MAX_TITLE, titleOf } from './title.ts';

/** In UTF-8. */
const MAX_TEXT_BYTES = 5_000;

/** The text becomes the video's description. */
export const youtubeLimits: NetworkLimits = {
  network: 'youtube',
  judge: ({ text, placement, options, media }) => {
    if (placement === 'story') return [problem('YouTube takes no Stories; post to the feed there.')];
    return [...ofMedia(media), ...ofTitle(options.youtube?.title, text), ...ofText(text)];
  },
};

function ofMedia(media: readonly DraftFile[]): readonly LimitProblem[] {
  if (media.length === 0) return [incomplete('A post on YouTube needs a video.')];
  return filesProblems(media).map(problem);
}

/** What is wrong with the files, in words for a person. A file of unknown kind may be the video. */
export function filesProblems(files: readonly FileOfPost[]): readonly string[] {
  const pictures = files.filter(({ kind }) => kind === 'image').length;
  const videos = files.length - pictures;
  return [
    ...(pictures > 0
      ? [
          `YouTube takes one video and no pictures; this post has ${pictures === 1 ? 'a picture' : `${pictures} pictures`}.`,
        ]
      : []),
    ...(videos > 1 ? [`YouTube takes one video in a post; this one has ${videos}.`] : []),
    ...lengthProblems('YouTube', files, [0, MAX_MS]),
  ];
}

function ofTitle(title: string | undefined, text: string): readonly LimitProblem[] {
  const given = givenTitle(title);
  if (given === null) {
    // One that is made of the text fits, and what is forbidden is said of the text. Sentences are looked for where a
    // text that fits may have them.
    const hasTitle = titleOf({ title: null, text: text.slice(0, MAX_TEXT_BYTES) }) !== null || FORBIDDEN.test(text);
    return hasTitle
      ? []
      : [incomplete('A video on YouTube needs a title: give it one, or write a text to take it from.')];
  }
  const problems: LimitProblem[] = [];
  const length = codePoints(given);
  if (length > MAX_TITLE)
    problems.push(problem(`The title is too long for YouTube: ${length} of at most ${MAX_TITLE} characters.`));
  if (FORBIDDEN.test(given)) problems.push(problem('YouTube takes no < or > in a title.'));
  return problems;
}

function ofText(text: string): readonly LimitProblem[] {
  const problems: LimitProblem[] = [];
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_TEXT_BYTES) {
    problems.push(
      problem(
        `The text is too long for YouTube: ${bytes} of at most ${MAX_TEXT_BYTES} bytes, and letters such as é or 見 count as several.`,
      ),
    );
  }
  if (FORBIDDEN.test(text)) problems.push(problem('YouTube takes no < or > in the text below a video.'));
  return problems;
}
