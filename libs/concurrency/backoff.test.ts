import { expect, test } from 'vitest';
import { backoffMs, ENGINE_BACKOFF } from './backoff.ts';

test('waits double from the first to the longest, and stay there', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7].map((failures) => backoffMs(ENGINE_BACKOFF, failures));
  expect(waits).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test('after any number of failures the wait is a number, and the longest', () => {
  expect(backoffMs(ENGINE_BACKOFF, 100_000)).toBe(2_000);
});

test('another factor grows as fast as it says', () => {
  expect([0, 1, 2, 3].map((failures) => backoffMs({ firstMs: 1, maxMs: 50, factor: 10 }, failures))).toEqual([
    1, 10, 50, 50,
  ]);
});

test('jitter only ever lengthens the wait, by at most its part', () => {
  const backoff = { firstMs: 100, maxMs: 1_000, jitter: 0.2 };
  expect([0, 0.5, 1].map((random) => backoffMs(backoff, 0, random))).toEqual([100, 110, 120]);
});
