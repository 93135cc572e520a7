import { expect, test } from 'vitest';
import { linksOf, withSchemes } from './links.ts';
import { hasInvalidCharacters, weightedLength } from './weighted-length.ts';

test.each([
  ['', 0],
  ['hello', 5],
  ['Grüße', 5],
  ['e\u0301', 1],
  ['見て', 4],
  ['“quoted”', 8],
  ['…', 2],
  ['👩‍👩‍👧', 2],
  ['👍🏽', 2],
  ['🇩🇪🇯🇵', 4],
  ['1️⃣', 2],
  ['❤️', 2],
  ['❤', 2],
  ['©', 1],
  ['see example.com now', 31],
  ['https://example.com/a/very/long/path?with=a&query=too#and-more-of-it-than-23', 23],
  ['(https://en.wikipedia.org/wiki/A_(b)).', 26],
  ['https://example.comを見て', 29],
  ['https://例え.jp/x', 23],
  ['user@example.com', 16],
  ['@example.com', 12],
  ['#example.com', 12],
  ['node.js and e.g.', 16],
  ['intranet.notatld', 16],
  ['foo.com.bar', 23],
  ['bar.한국', 23],
  ['http://', 7],
  ['a.com, b.com; c.com', 73],
  ['https://t.co/abc…', 25],
])('%j weighs %i', (text, weight) => {
  expect(weightedLength(text)).toBe(weight);
});

test('a sentence ends behind a link, not in it', () => {
  const text = 'Go to https://example.com/a. Or (example.org/b)!';
  expect(linksOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    'https://example.com/a',
    'example.org/b',
  ]);
});

test('a link without a scheme gets the one X gives it', () => {
  expect(withSchemes('see example.com and https://example.org')).toBe('see http://example.com and https://example.org');
});

test('characters that X refuses are found', () => {
  expect(['a\uFEFF', 'a\uFFFE', 'a\uFFFF', 'plain'].map(hasInvalidCharacters)).toEqual([true, true, true, false]);
});

test('hostile texts are measured in time that grows with their length only', () => {
  for (const text of [
    'a.'.repeat(50_000),
    'a-'.repeat(50_000),
    'http://'.repeat(14_000),
    `http://a.com/${'('.repeat(100_000)}`,
    `http://a.com/${'a(b)'.repeat(25_000)}!`,
  ]) {
    const begun = process.hrtime.bigint();
    weightedLength(text);
    expect(Number(process.hrtime.bigint() - begun) / 1e6, text.slice(0, 20)).toBeLessThan(3_000);
  }
});
