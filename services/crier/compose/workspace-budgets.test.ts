import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { WorkspaceBudgets } from './workspace-budgets.ts';

function open(plans: Record<string, 'free' | 'pro' | 'agency' | 'away'>) {
  let now = 0;
  let reads = 0;
  const budgets = new WorkspaceBudgets({
    planOf: async (id) => {
      reads++;
      const plan = plans[id] ?? null;
      if (plan === 'away') throw new PortError('unavailable', 'the store is away');
      return plan;
    },
    clock: { monotonic: () => now },
  });
  const weightOf = async (id: string, afterMs = 0): Promise<number> => {
    now += afterMs;
    budgets.budgetOf(id);
    await new Promise(setImmediate);
    return budgets.budgetOf(id).weight;
  };
  return { budgets, weightOf, reads: () => reads };
}

test('a Workspace has the weight of its Plan once that is read, and of a changed one within a minute', async () => {
  const plans: Record<string, 'free' | 'pro' | 'agency'> = { a: 'agency', b: 'pro' };
  const { budgets, weightOf, reads } = open(plans);
  expect(budgets.budgetOf('a').weight).toBe(1);
  expect([await weightOf('a'), await weightOf('b'), await weightOf('unknown')]).toEqual([4, 2, 1]);
  plans['a'] = 'pro';
  expect([await weightOf('a', 59_000), reads(), await weightOf('a', 2_000)]).toEqual([4, 3, 2]);
});

test('while the store is away the weight that was known holds, and the store is asked once a minute', async () => {
  const plans: Record<string, 'agency' | 'away'> = { a: 'agency' };
  const { weightOf, reads } = open(plans);
  await weightOf('a');
  plans['a'] = 'away';
  for (let second = 0; second < 90; second++) expect(await weightOf('a', 1_000)).toBe(4);
  expect(reads()).toBe(2);
});
