import { expect, test } from 'vitest';
import { sinceArmedMs } from './waits.ts';

test('by one clock, the time since a call was armed is the difference', () => {
  expect(sinceArmedMs({ armedAt: 1_000 }, 4_000)).toBe(3_000);
});

test('by the clock of another process, so much may be missing as clocks may be apart', () => {
  expect(sinceArmedMs({ armedAt: 1_000, clockSkewMs: 2_500 }, 4_000)).toBe(500);
});
