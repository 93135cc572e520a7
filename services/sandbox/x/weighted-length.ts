import { normalForm } from '#domain/post/normal-form.ts';
import { EMOJI_SEQUENCE } from '../emoji.ts';
import { findAddresses } from './addresses-in-text.ts';

/** Every address counts as its short form, whatever its length. */
const ADDRESS_WEIGHT = 23;
const EMOJI_WEIGHT = 2;
const HEAVY_WEIGHT = 2;

/** Code points that count one; all others count two. */
const LIGHT_RANGES: readonly (readonly [number, number])[] = [
  [0x0000, 0x10ff],
  [0x2000, 0x200d],
  [0x2010, 0x201f],
  [0x2032, 0x2037],
];

/**
 * One emoji as people see it, however many code points it has; the second form is a keycap without its variation
 * selector.
 */
const EMOJI = new RegExp(`${EMOJI_SEQUENCE}|[0-9#*]\u20e3`, 'gv');

const NEVER_ALLOWED = /[\ufffe\ufeff\uffff]/;

function weightOfCharacters(text: string): number {
  let weight = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    weight += LIGHT_RANGES.some(([first, last]) => point >= first && point <= last) ? 1 : HEAVY_WEIGHT;
  }
  return weight;
}

function weightOutsideAddresses(text: string): number {
  let weight = 0;
  let from = 0;
  for (const match of text.matchAll(EMOJI)) {
    weight += weightOfCharacters(text.slice(from, match.index)) + EMOJI_WEIGHT;
    from = match.index + match[0].length;
  }
  return weight + weightOfCharacters(text.slice(from));
}

/** The length of a text as X counts it (twitter-text, configuration v3). */
export function weightedLength(raw: string): number {
  const text = normalForm(raw);
  let weight = 0;
  let from = 0;
  for (const { start, end } of findAddresses(text)) {
    weight += weightOutsideAddresses(text.slice(from, start)) + ADDRESS_WEIGHT;
    from = end;
  }
  return weight + weightOutsideAddresses(text.slice(from));
}

export function hasForbiddenCharacter(text: string): boolean {
  return NEVER_ALLOWED.test(text);
}
