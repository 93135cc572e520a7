import type { LimitProblem, NetworkLimits } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { titleFor, type ChannelOptions } from '#domain/post/channel-options.ts';
import { incomplete, ofFiles, problem } from '../contract/problems.ts';
import type { FileOfPost } from '../contract/targets.ts';
import { utf8Length } from '../contract/text-limits.ts';
import { lengthProblems } from '../contract/video-length.ts';
import { MAX_MS } from './media.ts';
import { codePoints, FORBIDDEN, givenTitle, MAX_TITLE, titleOf } from './title.ts';

/** In UTF-8. */
const MAX_TEXT_BYTES = 5_000;

/** Of all tags together, as `tagsLength` counts. */
const MAX_TAGS = 500;
/** Characters. */
const MAX_COMMENT = 10_000;

/** The text becomes the video's description. */
export const youtubeLimits: NetworkLimits = {
  network: 'youtube',
  judge: ({ text, placement, options, media }) => {
    if (placement === 'story') return [problem('placement', 'YouTube takes no Stories; post to the feed there.')];
    return [
      ...ofMedia(media),
      ...ofTitle(titleFor('youtube', options) ?? undefined, text),
      ...ofText(text),
      ...ofTags(options.tags ?? []),
      ...ofCategory(options.categoryId),
      ...ofFirstComment(options),
    ];
  },
  texts: () => ({
    text: { most: MAX_TEXT_BYTES, unit: 'bytes', count: utf8Length },
    title: { most: MAX_TITLE, unit: 'characters', count: (title) => codePoints(givenTitle(title) ?? '') },
    firstComment: { most: MAX_COMMENT, unit: 'characters', count: codePoints },
  }),
};

function ofMedia(media: readonly DraftFile[]): readonly LimitProblem[] {
  if (media.length === 0) return [incomplete('media', 'A post on YouTube needs a video.')];
  return ofFiles(filesProblems(media));
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
      : [incomplete('title', 'A video on YouTube needs a title: give it one, or write a text to take it from.')];
  }
  const problems: LimitProblem[] = [];
  const length = codePoints(given);
  if (length > MAX_TITLE)
    problems.push(problem('title', `The title is too long for YouTube: ${length} of at most ${MAX_TITLE} characters.`));
  if (FORBIDDEN.test(given)) problems.push(problem('title', 'YouTube takes no < or > in a title.'));
  return problems;
}

function ofText(text: string): readonly LimitProblem[] {
  const problems: LimitProblem[] = [];
  const bytes = utf8Length(text);
  if (bytes > MAX_TEXT_BYTES) {
    problems.push(
      problem(
        'text',
        `The text is too long for YouTube: ${bytes} of at most ${MAX_TEXT_BYTES} bytes, and letters such as é or 見 count as several.`,
      ),
    );
  }
  if (FORBIDDEN.test(text)) problems.push(problem('text', 'YouTube takes no < or > in the text below a video.'));
  return problems;
}

function ofTags(tags: readonly string[]): readonly LimitProblem[] {
  const problems: LimitProblem[] = [];
  const length = tagsLength(tags);
  if (length > MAX_TAGS) {
    problems.push(
      problem(
        'tags',
        `The tags are too long for YouTube: ${length} of at most ${MAX_TAGS} characters together, and a tag with a space counts two more.`,
      ),
    );
  }
  if (tags.some((tag) => FORBIDDEN.test(tag))) problems.push(problem('tags', 'YouTube takes no < or > in a tag.'));
  return problems;
}

/** As YouTube counts them: with a comma between two, and in quotation marks what has a space. */
function tagsLength(tags: readonly string[]): number {
  const lengths = tags.map((tag) => codePoints(tag) + (tag.includes(' ') ? 2 : 0));
  return lengths.reduce((sum, length) => sum + length, Math.max(0, tags.length - 1));
}

function ofCategory(categoryId: string | undefined): readonly LimitProblem[] {
  const isKnown = categoryId === undefined || /^[0-9]{1,9}$/.test(categoryId);
  return isKnown ? [] : [problem('categoryId', 'A category on YouTube is a number, such as 22 for "People & Blogs".')];
}

function ofFirstComment({ firstComment, madeForKids, privacy }: ChannelOptions): readonly LimitProblem[] {
  if (firstComment === undefined) return [];
  const problems: LimitProblem[] = [];
  const length = firstComment.length > 2 * MAX_COMMENT ? firstComment.length : codePoints(firstComment);
  if (length > MAX_COMMENT) {
    problems.push(
      problem(
        'firstComment',
        `The first comment is too long for YouTube: ${length} of at most ${MAX_COMMENT} characters.`,
      ),
    );
  }
  if (madeForKids === true)
    problems.push(problem('firstComment', 'YouTube has no comments below videos that are made for kids.'));
  if (privacy === 'private') problems.push(problem('firstComment', 'YouTube has no comments below private videos.'));
  return problems;
}
