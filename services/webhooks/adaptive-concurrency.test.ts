import { expect, it } from 'vitest';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';

function after(successes: readonly boolean[]): AdaptiveConcurrency {
  const concurrency = new AdaptiveConcurrency();
  for (const success of successes) concurrency.recordResult(success);
  return concurrency;
}
const many = (count: number, success: boolean): boolean[] => Array(count).fill(success) as boolean[];

it.each([
  ['nothing', [], 4],
  ['three successes', many(3, true), 7],
  ['28 successes', many(28, true), 32],
  ['a failure, and a round of successes', [false, ...many(2, true)], 3],
  ['a failure, and two rounds', [false, ...many(2 + 3, true)], 4],
  ['very many successes', many(10_000, true), 32],
  ['a failure', [false], 2],
  ['a failure among successes', [...many(10_000, true), false], 16],
  ['failures without end', many(100, false), 1],
  ['failures, then successes', [...many(100, false), ...many(3, true)], 3],
])('after %s so many may run at once', (_what, successes, limit) => {
  expect(after(successes).limit).toBe(limit);
});

it('is troubled from three failures in a row until one success', () => {
  expect(
    [many(2, false), many(3, false), [false, false, true, false], [...many(9, false), true]].map(
      (all) => after(all).isTroubled,
    ),
  ).toEqual([false, true, false, false]);
});
