import { normalForm } from '#domain/post/normal-form.ts';
import { EMOJI } from '../contract/emoji.ts';
import { linksOf, MAX_LINK_LENGTH } from './links.ts';

const LINK_WEIGHT = 23;
const EMOJI_WEIGHT = 2;
/** UTF-16 units as they come, of which normalisation may make one. */
const MAX_UNITS_A_CHARACTER = 4;
const MAX_LINK = MAX_UNITS_A_CHARACTER * MAX_LINK_LENGTH;
/** Outside of links, UTF-16 units that count at least one: an emoji has up to 15 and counts two. */
const MAX_UNITS_A_WEIGHT = 8;
const BARE_KEYCAP = /([0-9#*])\u20E3/g;
const INVALID = /[\uFFFE\uFEFF\uFFFF]/;

/**
 * A text's length as X counts it: links 23, emoji 2, Latin and its neighbours 1, everything else 2. Above `enough` it
 * is not counted to its end.
 */
export function weightedLength(text: string, enough = Infinity): number {
  const normal = normalForm(text);
  let length = 0;
  let from = 0;
  for (const link of linksOf(normal)) {
    length += weightOf(normal.slice(from, link.start), enough - length) + LINK_WEIGHT;
    from = link.end;
    if (length > enough) return length;
  }
  return length + weightOf(normal.slice(from), enough - length);
}

/** What a text counts at the least, by its length alone: a text that is too long for certain needs no counting. */
export function leastWeight(text: string): number {
  const links = text.includes('.') ? Math.floor(text.length / MAX_LINK) : 0;
  return Math.ceil(links * LINK_WEIGHT + (text.length - links * MAX_LINK) / MAX_UNITS_A_WEIGHT);
}

/** Characters that X accepts nowhere: byte order marks and non-characters. */
export function hasInvalidCharacters(text: string): boolean {
  return INVALID.test(text);
}

function weightOf(text: string, enough: number): number {
  // X knows a keycap also without the selector that asks for its picture.
  const whole = text.replaceAll(BARE_KEYCAP, '$1\uFE0F\u20E3');
  let weight = 0;
  let from = 0;
  for (const { 0: emoji, index } of whole.matchAll(EMOJI)) {
    weight += weightOfCharacters(whole.slice(from, index)) + EMOJI_WEIGHT;
    from = index + emoji.length;
    if (weight > enough) return weight;
  }
  return weight + weightOfCharacters(whole.slice(from));
}

function weightOfCharacters(text: string): number {
  let weight = 0;
  for (const character of text) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2;
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
