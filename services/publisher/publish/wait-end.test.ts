import { expect, test } from 'vitest';
import { endIn, leftOf } from './wait-end.ts';

/** A clock whose monotonic time has fractions of a millisecond, as that of a process has. */
function clockAt(now: number, monotonic: number) {
  return { now: () => now, monotonic: () => monotonic };
}

test('what is left of a wait is whole milliseconds, as timers are set by them, and never too short', () => {
  const end = endIn(1_000, clockAt(50_000, 10.75));
  expect(leftOf(end, clockAt(50_000, 10.75))).toBe(1_000);
  expect(leftOf(end, clockAt(50_000, 11.5))).toBe(1_000);
  expect(leftOf(end, clockAt(50_001, 12.9))).toBe(998);
  expect(leftOf(end, clockAt(50_000, 1_011))).toBeLessThanOrEqual(0);
});
