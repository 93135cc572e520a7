/**
 * Blocks of letters that are written from right to left, and marks that say how letters are written. By plain ranges,
 * as it is asked of each Post of a calendar; the last four are halves of letters beyond U+FFFF.
 */
const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;
/** Marks that have an end: without it they would reach what follows, and an end too many would end ours. */
const SPANNING = /[\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = '\u2068';
const END = '\u2069';

/**
 * A sentence around what people wrote: isolating`Revoke ${key.name}`. A name from right to left would change the order
 * of the words around it; where there are elements, `<bdi>` does the same. Most names need nothing and get nothing.
 */
export function isolating(words: TemplateStringsArray, ...names: readonly (string | number)[]): string {
  return words.map((word, index) => word + isolated(String(names[index] ?? ''))).join('');
}

function isolated(name: string): string {
  return OTHER_DIRECTION.test(name) ? FIRST_STRONG_ISOLATE + name.replace(SPANNING, '') + END : name;
}
