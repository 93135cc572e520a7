import { expect, test } from 'vitest';
import { mayGiveUp, sinceArmedMs } from './waits.ts';

test('by one clock, the time since a call was armed is the difference', () => {
  expect(sinceArmedMs({ armedAt: 1_000 }, 4_000)).toBe(3_000);
});

test('by the clock of another process, so much may be missing as clocks may be apart', () => {
  expect(sinceArmedMs({ armedAt: 1_000, clockSkewMs: 2_500 }, 4_000)).toBe(500);
});

test.each([
  ['asked often, out of reach for a quarter of an hour', 8, 15, true],
  ['asked often, out of reach for less', 8, 14, false],
  ['asked seldom, as after a late first look', 7, 15, false],
])('a Network %s has had its chances or not, however old the call is', (_, asked, minutes, mayEnd) => {
  const now = 10 * 3_600_000;
  expect(mayGiveUp({ armedAt: 0, asked, outOfReachSince: now - minutes * 60_000 }, now)).toBe(mayEnd);
  expect(mayGiveUp({ armedAt: now - minutes * 60_000, asked }, now)).toBe(mayEnd);
});
