import { EMOJI } from '../emoji.ts';

/** A text's length as Threads counts it: an emoji by its bytes in UTF-8, every other code point 1. */
export function textLength(text: string): number {
  let length = 0;
  const rest = text.replace(EMOJI, (emoji) => {
    length += Buffer.byteLength(emoji, 'utf8');
    return '';
  });
  return length + [...rest].length;
}
