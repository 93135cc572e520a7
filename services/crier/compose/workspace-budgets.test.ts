import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { WorkspaceBudgets } from './workspace-budgets.ts';

type Plan = 'free' | 'pro' | 'agency' | 'away';

function open(plans: Record<string, Plan>, owners: Record<string, string> = {}) {
  let now = 0;
  let reads = 0;
  const budgets = new WorkspaceBudgets({
    find: async (id) => {
      reads++;
      const plan = plans[id] ?? null;
      if (plan === 'away') throw new PortError('unavailable', 'the store is away');
      return plan === null ? null : { plan, owner: owners[id] ?? null };
    },
    clock: { monotonic: () => now },
  });
  const budgetOf = async (id: string, afterMs = 0) => {
    now += afterMs;
    budgets.budgetOf(id);
    await new Promise(setImmediate);
    return budgets.budgetOf(id);
  };
  const weightOf = async (id: string, afterMs = 0): Promise<number> => (await budgetOf(id, afterMs)).weight;
  return { budgets, budgetOf, weightOf, reads: () => reads };
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

test('free Workspaces of one owner are of one account, and each with a larger Plan is by itself', async () => {
  const plans: Record<string, Plan> = { a: 'free', b: 'free', c: 'pro', d: 'free' };
  const { budgetOf } = open(plans, { a: 'ada', b: 'ada', c: 'ada' });
  const accounts = async (afterMs = 0) => [
    ...[(await budgetOf('a', afterMs)).account, (await budgetOf('b')).account],
    ...[(await budgetOf('c')).account, (await budgetOf('d')).account],
  ];
  expect(await accounts()).toEqual(['ada', 'ada', undefined, undefined]);
  plans['b'] = 'agency';
  expect(await accounts(61_000)).toEqual(['ada', undefined, undefined, undefined]);
});
