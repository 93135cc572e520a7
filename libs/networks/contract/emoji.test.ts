import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMOJI } from './emoji.ts';

const BY_THE_STANDARD = /\p{RGI_Emoji}|[\p{Emoji}--[0-9#*©®\u{1F1E6}-\u{1F1FF}]]\uFE0F?/gv;
const PARTS = [
  '😀',
  '👩',
  '👨',
  '👧',
  '🧑',
  '🏽',
  '🏿',
  '\u200d',
  '\ufe0f',
  '❤',
  '💋',
  '🤝',
  '🦰',
  '🔥',
  '⚕',
  '♂',
  '🐻',
  '❄',
  '🏴',
  '\u{E0067}',
  '\u{E0062}',
  '\u{E0065}',
  '\u{E006E}',
  '\u{E007F}',
  '🇩',
  '🇪',
  '🇯',
  '1',
  '#',
  '\u20e3',
  '©',
  '™',
  '⚽',
  'a',
  '漢',
];

test('finds the emoji that the standard lists, and no others, in any text made of their parts', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(text.match(EMOJI)).toEqual(text.match(BY_THE_STANDARD));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  '👩‍❤️‍💋‍👨',
  '👩🏽‍🤝‍👩🏿',
  '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  '🇩🇪',
  '1️⃣',
  '❤️',
  '❤',
  '👍🏽',
  '👩‍👩‍👧',
  '🐻‍❄️',
])('%s is one', (emoji) => {
  expect(emoji.match(EMOJI)).toEqual([emoji]);
});
