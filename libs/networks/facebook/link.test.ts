import { expect, test } from 'vitest';
import { cardAddressOf } from './link.ts';

test.each<[string, string | null]>([
  ['no address', null],
  ['example.com has no scheme', null],
  ['see https://example.com', 'https://example.com'],
  ['HTTP://Example.com/A?b=c#d, and so on', 'HTTP://Example.com/A?b=c#d'],
  ['https://one.test then https://two.test', 'https://one.test'],
  ['(https://example.com/a).', 'https://example.com/a'],
  ['https://en.test/wiki/Crier_(office)!', 'https://en.test/wiki/Crier_(office)'],
  ['"https://example.com/a…"', 'https://example.com/a'],
  ['<https://example.com/a>', 'https://example.com/a'],
  ['https://example.com/aを見て', 'https://example.com/a'],
  ['見て https://example.com。', 'https://example.com'],
  ['https://example.com에서', 'https://example.com'],
  ['https://münchen.test/straße', 'https://münchen.test/straße'],
  ['https:// nothing', null],
  ['https://[broken', null],
  ['nothttps://example.com', null],
  // Facebook refuses a card of its own pages.
  ['https://www.facebook.com/events/1', null],
  ['https://facebook.com/x and https://example.com', null],
  ['https://fb.me/x', null],
  ['https://notfacebook.com/', 'https://notfacebook.com/'],
])('the card of %j is of %j', (text, expected) => {
  expect(cardAddressOf(text)).toBe(expected);
});

test.each<[string, string, string | null]>([
  ['schemes', 'https://'.repeat(8_000), null],
  ['opening brackets', `https://example.com/${'('.repeat(60_000)}`, null],
  ['closing brackets', `https://example.com/${')'.repeat(60_000)}`, 'https://example.com/'],
  ['letters ahead of schemes', 'ahttps://'.repeat(7_000), null],
])('a text of %s is read in one go', (_name, text, expected) => {
  expect(cardAddressOf(text)).toBe(expected);
});
