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
  ['read.me', 23],
  ['read.me/now', 23],
  ['t.co and vine.co', 23 + 5 + 23],
  ['bbc.co.uk', 23],
  ['no.such-thing', 13],
  ['(https://example.com/a)', 25],
  ['https://example.com.', 24],
  ['https://example.com/日本 日本', 23 + 4 + 1 + 4],
  ['日本語example.com日本語', 6 + 23 + 6],
  ['http://twitter_underscore.com', 29],
  ['http://t.co/abc?amp=1 t.co', 23 + 1 + 23],
])('%j counts %d', (text, length) => {
  expect(weightedLength(text)).toBe(length);
});

test.each([
  ['see https://example.com/a(b), or', ['https://example.com/a(b)']],
  ['https://a.com and http://b.org/x?y=z!', ['https://a.com', 'http://b.org/x?y=z']],
  ['@example.com #example.com $example.com', []],
  ['https://EXAMPLE.com:8080/A', ['https://EXAMPLE.com:8080/A']],
  ['v1.2.3 and 3.14', []],
  // Letters of other scripts belong to the sentence, unless a scheme says that an address begins.
  ['これはexample.com中国語t.co/abc한국', ['example.com', 't.co/abc']],
  ['http://example.comだよね.comtest/hoge', ['http://example.com']],
  ['http://☃.net/ and ☃.net', ['http://☃.net/']],
  ['twitter.みんなです', ['twitter.みんな']],
  ['foo.рф', ['foo.рф']],
  // A label: no underscore in the domain itself, no hyphen at an end, 63 characters as it is sent.
  ['http://a_b.example.com http://a.ex_ample.com', ['http://a_b.example.com']],
  ['http://-a.com http://a-.com', []],
  [`http://${'a'.repeat(63)}.com http://${'a'.repeat(64)}.com`, [`http://${'a'.repeat(63)}.com`]],
  [`http://${'é'.repeat(57)}.com http://${'é'.repeat(58)}.com`, [`http://${'é'.repeat(57)}.com`]],
  ['http://xn--d1acufc.com http://xn--はじめよう.com', ['http://xn--d1acufc.com']],
  // What goes on after a top-level domain is another word, or an e-mail address.
  ['foo.comm a.com-mon john.doe.com@mail.com tar.bz2', []],
  // Without a scheme, what stands before decides.
  ['./a.com -a.com _a.com /a.com .a.com', []],
  ['(a.com) "a.com"', ['a.com', 'a.com']],
  ['éexample.com', ['example.com']],
  // A path ends before punctuation; brackets belong to it in pairs, one within another at most.
  [
    'http://a.com/x,. http://a.com/x(y(z)) http://a.com/((((',
    ['http://a.com/x', 'http://a.com/x(y(z))', 'http://a.com/'],
  ],
  ['http://a.com/x–y http://a.com/@me/ http://a.com/é', ['http://a.com/x–y', 'http://a.com/@me/', 'http://a.com/é']],
  ['http://a.com/,(b) http://a.com/,(b)c', ['http://a.com/', 'http://a.com/,(b)c']],
  ['http://a.com?b=c&d! a.com?b', ['http://a.com?b=c&d', 'a.com']],
  // X's own short addresses have letters and digits alone, 40 at most.
  ["http://t.co/pbY2's http://t.co/x-", ['http://t.co/pbY2', 'http://t.co/x']],
  [`http://t.co/${'a'.repeat(41)}`, []],
  [`http://a.com/${'a'.repeat(4_076)}`, [`http://a.com/${'a'.repeat(4_076)}`]],
  [`http://a.com/${'a'.repeat(4_077)}`, []],
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
  'あ.'.repeat(50_000),
  'a.com.'.repeat(16_000),
  'https://a.com/('.repeat(6_000),
  `${'a.'.repeat(2_000)}あ.com `.repeat(25),
  `${`${'あ'.repeat(60)}.`.repeat(60)}com `.repeat(27),
])('a long and adversarial text is counted in time proportional to its length', (text) => {
  const started = process.hrtime.bigint();
  weightedLength(text);
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(5_000);
});
