/**
 * How well `words` answer what was typed: higher is better; null: not at all. Letters must come in their order; those
 * at the beginning of words and those that follow each other count more.
 */
export function matchOf(typed: string, words: string): number | null {
  const wanted = [...typed.toLowerCase().replaceAll(' ', '')];
  const letters = [...words.toLowerCase()];
  let score = wholeScore(typed, letters);
  let last = -1;
  for (const letter of wanted) {
    const at = bestPlace(letters, letter, last);
    if (at === -1) return null;
    score += at === last + 1 && last !== -1 ? 3 : isWordStart(letters, at) ? 2 : 0;
    score -= (at - last - 1) / 100;
    last = at;
  }
  return score;
}

/** What was typed as one piece, at the beginning of a word at best, is meant before letters that lie apart. */
function wholeScore(typed: string, letters: readonly string[]): number {
  const at = letters.join('').indexOf(typed.trim().toLowerCase());
  return at === -1 ? 0 : isWordStart(letters, at) ? 10 : 5;
}

/** The next place of the letter: beside the last one, else at the beginning of a word, else anywhere. */
function bestPlace(letters: readonly string[], letter: string, last: number): number {
  if (letters[last + 1] === letter) return last + 1;
  const atWord = letters.findIndex((one, index) => index > last && one === letter && isWordStart(letters, index));
  return atWord === -1 ? letters.indexOf(letter, last + 1) : atWord;
}

function isWordStart(letters: readonly string[], at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(letters[at - 1]!);
}

/** The best answers first; everything in its order while nothing is typed. */
export function rank<Item>(typed: string, items: readonly Item[], wordsOf: (item: Item) => string): readonly Item[] {
  if (typed.trim() === '') return items;
  return items
    .flatMap((item) => {
      const score = matchOf(typed, wordsOf(item));
      return score === null ? [] : [{ item, score }];
    })
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item);
}
