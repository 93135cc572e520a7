import { expect, test } from 'vitest';
import { normalForm } from '#domain/post/normal-form.ts';
import conformance from './conformance.json' with { type: 'json' };
import { linksOf, withSchemes } from './links.ts';
import { asciiLength } from './punycode.ts';
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
  ['foo-.com and a_b.com', 20],
])('%j weighs %i', (text, weight) => {
  expect(weightedLength(text)).toBe(weight);
});

test("X's whole conformance set is counted as X counts it, and its links are found", () => {
  const wrong = conformance.cases.flatMap(({ group, description, text, ...expected }) => {
    const weight = weightedLength(text);
    const whole = normalForm(text);
    const found = {
      weightedLength: weight,
      valid: weight > 0 && weight <= 280 && !hasInvalidCharacters(text),
      links: linksOf(whole).map(({ start, end }) => whole.slice(start, end)),
    };
    const isRight =
      found.weightedLength === expected.weightedLength &&
      found.valid === expected.valid &&
      (expected.links === undefined || JSON.stringify(found.links) === JSON.stringify(expected.links));
    return isRight ? [] : [{ group, description, found, expected }];
  });
  expect(wrong).toEqual([]);
  expect(conformance.cases).toHaveLength(335);
});

test.each([
  // The examples of RFC 3492, 7.1.
  ['他们为什么不说中文', 'xn--ihqwcrb4cv8a8dqg056pqjye'],
  ['Pročprostěnemluvíčesky', 'xn--Proprostnemluvesky-uyb24dma41a'],
  ['3年B組金八先生', 'xn--3B-ww4c5e180e575a65lsy2b'],
  ['ひとつ屋根の下2', 'xn--2-u9tlzr9756bt3uc0v'],
  ['例え', 'xn--r8jz45g'],
  ['plain', 'plain'],
])('the label %s is as long in DNS as %s', (label, encoded) => {
  expect(asciiLength(label)).toBe(encoded.length);
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
    `http://${'見.'.repeat(50_000)}com`,
    `http://${'見'.repeat(60)}.com `.repeat(1_500),
    `http://${'a_'.repeat(50_000)}.com`,
    `1\u20E3`.repeat(50_000),
  ]) {
    const begun = process.hrtime.bigint();
    weightedLength(text);
    expect(Number(process.hrtime.bigint() - begun) / 1e6, text.slice(0, 20)).toBeLessThan(3_000);
  }
});
