import { EMOJI } from '../contract/emoji.ts';
import { utf8Length } from '../contract/text-limits.ts';

/** What a text counts at the least, by its UTF-16 units alone: a code point has one or two of them. */
export function leastLength(text: string): number {
  return Math.ceil(text.length / 2);
}

/** A text's length as Threads counts it: an emoji by its bytes in UTF-8, every other code point 1. */
export function textLength(text: string): number {
  let length = 0;
  const rest = text.replace(EMOJI, (emoji) => {
    length += utf8Length(emoji);
    return '';
  });
  for (const _ of rest) length += 1;
  return length;
}
