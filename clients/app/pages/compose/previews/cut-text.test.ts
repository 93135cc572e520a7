import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

test('a long text is cut between words, where the Network shows the rest on demand', () => {
  const { shown, isCut } = cutText('word '.repeat(60), 'instagram');
  expect([isCut, shown.length <= 125, shown.endsWith('word')]).toEqual([true, true, true]);
  expect(cutText('word '.repeat(60), 'threads').isCut).toBe(false);
});

test('nothing is cut within what people see as one character', () => {
  const { shown } = cutText('👩‍👩‍👧'.repeat(200), 'instagram');
  expect(shown).toBe('👩‍👩‍👧'.repeat(125));
});
