import { expect, test } from 'vitest';
import { findAddresses } from './addresses-in-text.ts';
import { weightedLength } from './weighted-length.ts';

test.each([
  ['', 0],
  ['hello', 5],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['ა', 1],
  ['\u2014', 1],
  ['\u2020', 2],
  ['👍', 2],
  ['👍🏽', 2],
  ['👨‍👩‍👧‍👦', 2],
  ['🇫🇷', 2],
  ['1️⃣', 2],
  ['❤️', 2],
  ['👍👍', 4],
  ['see https://example.com/a/very/long/path?with=a&query=string#and-more', 27],
  ['example.com', 23],
  ['a@example.com', 13],
  ['read.me', 7],
  ['read.me/now', 23],
  ['t.co and vine.co', 23 + 5 + 23],
  ['bbc.co.uk', 23],
  ['no.such-thing', 13],
  ['(https://example.com/a)', 25],
  ['https://example.com.', 24],
  ['https://example.com/日本 日本', 23 + 1 + 4],
])('%j counts %d', (text, length) => {
  expect(weightedLength(text)).toBe(length);
});

test.each([
  ['see https://example.com/a(b), or', ['https://example.com/a(b)']],
  ['https://a.com and http://b.org/x?y=z!', ['https://a.com', 'http://b.org/x?y=z']],
  ['@example.com #example.com $example.com', []],
  ['https://EXAMPLE.com:8080/A', ['https://EXAMPLE.com:8080/A']],
  ['v1.2.3 and 3.14', []],
])('in %j these are addresses: %j', (text, urls) => {
  expect(findAddresses(text).map(({ url }) => url)).toEqual(urls);
  for (const { start, end, url } of findAddresses(text)) expect(text.slice(start, end)).toBe(url);
});

test.each([
  'a.'.repeat(50_000) + '1',
  'あ'.repeat(100_000),
  `https://a.com/${')'.repeat(80_000)}`,
  `https://a.com/?${'!'.repeat(80_000)}`,
  'http://'.repeat(20_000),
])('a long and adversarial text is counted in time proportional to its length', (text) => {
  const started = process.hrtime.bigint();
  weightedLength(text);
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(5_000);
});
