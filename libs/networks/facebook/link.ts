/** Scripts that are written without spaces, or that join endings to a word: an address ends where they begin. */
const ADDRESS =
  /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"“”«»…\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]+/iu;
const SENTENCE_ENDS: ReadonlySet<string> = new Set([...'.,;:!?\'"*_~|']);
const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;
/** UTF-16 units. A longer one is none that a person would want a card of. */
const MAX_ADDRESS = 4_096;
const FACEBOOK = /(^|\.)(facebook\.com|fb\.com|fb\.me|fb\.watch)$/i;

/**
 * The first address in a text, for Facebook to show a card of; null where there is none with a scheme, or where it is
 * one of Facebook's own, of which it refuses to make cards.
 */
export function cardAddressOf(text: string): string | null {
  const found = ADDRESS.exec(text)?.[0];
  if (found === undefined) return null;
  const address = withoutSentenceEnd(found);
  if (address.length > MAX_ADDRESS || !URL.canParse(address)) return null;
  return FACEBOOK.test(new URL(address).hostname) ? null : address;
}

/** Without the punctuation of the sentence around it; a closing bracket stays whose opening one is inside. */
function withoutSentenceEnd(found: string): string {
  const unopened = new Map<string, number>(
    BRACKETS.map(([opening, closing]) => [closing, countOf(closing, found) - countOf(opening, found)]),
  );
  let end = found.length;
  for (; end > 0; end--) {
    const last = found[end - 1] ?? '';
    const surplus = unopened.get(last);
    if (surplus === undefined ? !SENTENCE_ENDS.has(last) : surplus <= 0) break;
    if (surplus !== undefined) unopened.set(last, surplus - 1);
  }
  return found.slice(0, end);
}

function countOf(character: string, text: string): number {
  return text.split(character).length - 1;
}
