import { parameterError, graphError } from './graph-errors.ts';
import { EMOJI_SEQUENCE } from '../emoji.ts';
import type { SandboxAnswer } from '../exchange.ts';

const TEXT_LIMIT = 500;
const LINK_LIMIT = 5;

/** An emoji sequence as people see it; pictographs without a variation selector count as emoji too. */
const EMOJI = new RegExp(`${EMOJI_SEQUENCE}|\\p{Emoji_Presentation}|[0-9#*]\u20e3`, 'gv');
const LINK = /https?:\/\/[^\s<>"]+/gi;

/** The addresses in a text, without the punctuation that ends a sentence. */
export const linksOf = (text: string): readonly string[] =>
  (text.match(LINK) ?? []).map((link) => link.replace(/[.,;:!?)\]]+$/, ''));

/** Emoji count as their bytes in UTF-8, every other character as one. */
export function threadsLength(text: string): number {
  let emojiBytes = 0;
  const rest = text.replace(EMOJI, (emoji) => {
    emojiBytes += Buffer.byteLength(emoji);
    return '';
  });
  return emojiBytes + [...rest].length;
}

/** Why Threads would refuse the text; null when it would not. */
export function refuseText(text: string): SandboxAnswer | null {
  if (text.trim() === '') return parameterError('(#100) The parameter text is required for media_type TEXT.');
  // A character is at most two UTF-16 units: a longer text needs no counting.
  if (text.length > 2 * TEXT_LIMIT || threadsLength(text) > TEXT_LIMIT)
    return parameterError(`(#100) Param text must be at most ${TEXT_LIMIT} characters long.`);
  const links = new Set(linksOf(text));
  if (links.size > LINK_LIMIT) {
    return graphError({
      status: 400,
      type: 'OAuthException',
      code: 100,
      message: 'THREADS_API__LINK_LIMIT_EXCEEDED',
      title: 'Too many links',
      userMessage: `A post can have at most ${LINK_LIMIT} links.`,
    });
  }
  return null;
}
