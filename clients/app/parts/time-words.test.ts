import { expect, test } from 'vitest';
import { absoluteWords, relativeWords } from './time-words.ts';

const NOW = Date.parse('2026-11-24T08:40:00Z');

test.each([
  ['2026-11-24T08:40:20Z', 'now'],
  ['2026-11-24T09:00:00Z', 'in 20 min'],
  ['2026-11-24T08:38:59Z', '1 min ago'],
  ['2026-11-24T05:39:00Z', '3 h ago'],
  ['2026-11-25T08:39:00Z', 'in 23 h'],
  ['2026-11-25T08:40:00Z', null],
  ['2026-11-20T08:40:00Z', null],
])('%s is said as %s', (at, words) => {
  expect(relativeWords(Date.parse(at), NOW)).toBe(words);
});

test('the hour that a night of summer time has twice is told apart by the zone’s name', () => {
  const [first, second] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((at) =>
    absoluteWords(Date.parse(at), 'Europe/Berlin'),
  );
  expect(first).toBe('Sun, 25 Oct 2026, 02:30 CEST');
  expect(second).toBe('Sun, 25 Oct 2026, 02:30 CET');
});
