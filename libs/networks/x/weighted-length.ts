import { EMOJI } from '../emoji.ts';
import { linksOf } from './links.ts';

const LINK_WEIGHT = 23;
const EMOJI_WEIGHT = 2;
const INVALID = /[\uFFFE\uFEFF\uFFFF]/;

/** A text's length as X counts it: links 23, emoji 2, Latin and its neighbours 1, everything else 2. */
export function weightedLength(text: string): number {
  const normal = text.normalize('NFC');
  let length = 0;
  let from = 0;
  for (const link of linksOf(normal)) {
    length += weightOf(normal.slice(from, link.start)) + LINK_WEIGHT;
    from = link.end;
  }
  return length + weightOf(normal.slice(from));
}

/** Characters that X accepts nowhere: byte order marks and non-characters. */
export function hasInvalidCharacters(text: string): boolean {
  return INVALID.test(text);
}

function weightOf(text: string): number {
  let weight = 0;
  const rest = text.replace(EMOJI, () => {
    weight += EMOJI_WEIGHT;
    return '';
  });
  for (const character of rest) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2;
  return weight;
}

function isLight(codePoint: number): boolean {
  return (
    codePoint <= 0x10ff ||
    (codePoint >= 0x2000 && codePoint <= 0x200d) ||
    (codePoint >= 0x2010 && codePoint <= 0x201f) ||
    (codePoint >= 0x2032 && codePoint <= 0x2037)
  );
}
