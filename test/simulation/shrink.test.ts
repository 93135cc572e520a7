import { expect, test } from 'vitest';
import { shrink } from './shrink.ts';

const STEPS = Array.from({ length: 60 }, (_, index) => `step ${index}`);

function failingWith(...needed: readonly string[]): {
  fails: (steps: readonly string[]) => Promise<boolean>;
  runs: () => number;
} {
  let runs = 0;
  return {
    fails: async (steps) => (runs++, needed.every((step) => steps.includes(step))),
    runs: () => runs,
  };
}

test('of a failing history the steps that it needs are left, in their order', async () => {
  const { fails, runs } = failingWith('step 41', 'step 3', 'step 58');
  expect(await shrink(STEPS, fails, 100)).toEqual(['step 3', 'step 41', 'step 58']);
  expect(runs()).toBeLessThan(100);
});

test('a history that fails without any step is left without one', async () => {
  expect(await shrink(STEPS, async () => true, 10)).toEqual([]);
});

test('what is left when the runs are used up fails still', async () => {
  const needed = ['step 0', 'step 20', 'step 40', 'step 59'];
  const { fails, runs } = failingWith(...needed);
  const left = await shrink(STEPS, fails, 10);
  expect(runs()).toBe(10);
  expect(needed.every((step) => left.includes(step))).toBe(true);
  expect(left.length).toBeLessThan(STEPS.length);
});
