import { describe, expect, test } from 'vitest';
import { givenTitle, titleOf } from './title.ts';

describe('a title that is made of the text', () => {
  test.each<[string, string | null]>([
    ['One. Two.', 'One.'],
    ['Is 3.5 enough? Yes', 'Is 3.5 enough?'],
    ['He said “Stop!” Then he left.', 'He said “Stop!”'],
    ['First line\nSecond', 'First line'],
    ['\n \nLate', 'Late'],
    ['見て。次', '見て。'],
    ['no end', 'no end'],
    ['tab\tin it. More', 'tab in it.'],
    ['👩‍👩‍👧 at home. More', '👩‍👩‍👧 at home.'],
    ['', null],
    [' \n\t', null],
    ['\u200b\u2060', null],
    ['<>', null],
    ['a <b> c. More', 'a b c.'],
    ['a'.repeat(100), 'a'.repeat(100)],
    ['a'.repeat(101), 'a'.repeat(100)],
    ['😀'.repeat(101), '😀'.repeat(100)],
    [`${'word '.repeat(19)}words and more of them`, `${'word '.repeat(19)}words`],
    [`${'a'.repeat(98)} bcd`, 'a'.repeat(98)],
    ['é'.normalize('NFD').repeat(60), 'é'.normalize('NFD').repeat(50)],
    [`e${'\u0301'.repeat(120)}`, `e${'\u0301'.repeat(99)}`],
  ])('of %j', (text, title) => {
    expect(titleOf({ title: null, text })).toBe(title);
  });

  test('is cut fast, however long the text is', () => {
    expect(titleOf({ title: null, text: 'ab'.repeat(50_000) })).toHaveLength(100);
  });
});

describe('a title that was given', () => {
  test.each<[string | null | undefined, string | null]>([
    ['Mine', 'Mine'],
    ['  Mine\n', 'Mine'],
    ['two\nlines', 'two lines'],
    ['a'.repeat(101), 'a'.repeat(101)],
    ['', null],
    [' ', null],
    [null, null],
    [undefined, null],
  ])('%j', (title, expected) => {
    expect(givenTitle(title)).toBe(expected);
  });

  test('counts, and one of nothing leaves it to the text', () => {
    expect(titleOf({ title: 'Mine', text: 'One. Two.' })).toBe('Mine');
    expect(titleOf({ title: ' ', text: 'One. Two.' })).toBe('One.');
  });
});
