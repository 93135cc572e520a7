import { expect, test } from 'vitest';
import { matchOf, rank } from './fuzzy.ts';

const NAMES = ['Go to Calendar', 'Go to Channels', 'Go to API keys', 'Write a Post', 'Keyboard shortcuts'];

test.each([
  ['cal', 'Go to Calendar'],
  ['gch', 'Go to Channels'],
  ['keys', 'Go to API keys'],
  ['wp', 'Write a Post'],
  ['short', 'Keyboard shortcuts'],
])('%s finds %s first', (typed, name) => {
  expect(rank(typed, NAMES, (one) => one)[0]).toBe(name);
});

test('letters in another order find nothing, and nothing typed finds everything in its order', () => {
  expect(matchOf('lac', 'Calendar')).toBeNull();
  expect(rank('zzz', NAMES, (one) => one)).toEqual([]);
  expect(rank('  ', NAMES, (one) => one)).toEqual(NAMES);
});
