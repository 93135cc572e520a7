/** Code points. */
export const MAX_TITLE = 100;
/** YouTube refuses them in titles and descriptions. */
export const FORBIDDEN = /[<>]/;

/** What a Member gave as the title, on one line; null: nothing that could be seen. */
export function givenTitle(title: string | null | undefined): string | null {
  return visible(title ?? '');
}

/**
 * The title of a video: the one that was given, else the first sentence of the text, cut at a word end; null: there is
 * nothing to make one of.
 */
export function titleOf({ title, text }: { readonly title: string | null; readonly text: string }): string | null {
  const given = givenTitle(title);
  if (given !== null) return given;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const sentence = visible(segment.replaceAll(/[<>]/g, ''));
    if (sentence !== null) return headOf(sentence);
  }
  return null;
}

export function codePoints(text: string): number {
  return [...text].length;
}

function visible(text: string): string | null {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return /[^\p{Cf}\p{Z}]/u.test(line) ? line : null;
}

/**
 * At most `MAX_TITLE` code points, whole words; where the first one alone is longer, whole characters as people see
 * them.
 */
function headOf(sentence: string): string {
  if (codePoints(sentence) <= MAX_TITLE) return sentence;
  const byWords = firstOf(sentence, 'word').trimEnd();
  if (byWords !== '') return byWords;
  return firstOf(sentence, 'grapheme') || [...sentence].slice(0, MAX_TITLE).join('');
}

function firstOf(sentence: string, granularity: 'word' | 'grapheme'): string {
  let head = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity }).segment(sentence)) {
    if (codePoints(head + segment) > MAX_TITLE) break;
    head += segment;
  }
  return head;
}
