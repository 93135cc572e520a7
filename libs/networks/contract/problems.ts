import type { BlockedPart, LimitProblem } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';

/** Something in the draft must change: `part` of it. */
export function problem(part: BlockedPart, message: string): LimitProblem {
  return { code: 'problem', message, part };
}

/** Something is missing that may still come. */
export function incomplete(part: BlockedPart, message: string): LimitProblem {
  return { code: 'incomplete', message, part };
}

/** `message` where there is more than the Network takes. */
export function tooMuch(part: BlockedPart, count: number, most: number, message: string): readonly LimitProblem[] {
  return count > most ? [problem(part, message)] : [];
}

/** What is wrong with the files together. */
export function ofFiles(messages: readonly string[]): readonly LimitProblem[] {
  return messages.map((message) => problem('media', message));
}

export interface AltTextLimit {
  /** As people write it. */
  readonly network: string;
  /** UTF-16 units. */
  readonly most: number;
  /** Videos have none there. */
  readonly ofPicturesOnly?: true;
}

/** Descriptions that are too long, each at its file. */
export function altTextProblems(
  media: readonly DraftFile[],
  { network, most, ofPicturesOnly }: AltTextLimit,
): readonly LimitProblem[] {
  return media.flatMap(({ kind, altText: { length } }, index) =>
    ofPicturesOnly === true && kind === 'video'
      ? []
      : tooMuch(
          `media.${index}.altText`,
          length,
          most,
          `A description is too long for ${network}: ${length} of at most ${most} characters.`,
        ),
  );
}
