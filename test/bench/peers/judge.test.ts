import { describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import type { DuePost } from './peer.ts';

const ACCOUNTS = ['a', 'b', 'c'];
const PLAN: readonly DuePost[] = [
  { text: 'one', channels: [0, 1], dueAt: 1_000 },
  { text: 'two', channels: [2], dueAt: 2_000 },
];

const counts = (arrivals: Parameters<typeof judge>[2], notPublished: Parameters<typeof judge>[3] = []) => {
  const { first, ...rest } = judge(PLAN, ACCOUNTS, arrivals, notPublished);
  return { ...rest, arrived: first.length };
};

const NONE = { lost: 0, reported: 0, doubled: 0, early: 0 };

describe('what a plan came to', () => {
  test('each Variant once, none early', () => {
    const arrivals = [['one', 'a', 1_000] as const, ['one', 'b', 1_005] as const, ['two', 'c', 2_001] as const];
    expect(counts(arrivals)).toEqual({ ...NONE, arrived: 3 });
    expect(judge(PLAN, ACCOUNTS, arrivals).first.map(({ lateMs }) => lateMs)).toEqual([0, 5, 1]);
  });

  test('nothing at all is lost, each Variant for itself', () => {
    expect(counts([])).toEqual({ ...NONE, lost: 3, arrived: 0 });
  });

  test.each([
    ['twice', ['one', 'a', 1_200] as const, { doubled: 1 }],
    ['at an account that was not asked for', ['two', 'a', 2_100] as const, { doubled: 1 }],
    ['of another plan', ['three', 'a', 1] as const, {}],
  ])('an arrival more: %s', (_, more, found) => {
    const arrivals = [['one', 'a', 1_000] as const, ['one', 'b', 1_005] as const, ['two', 'c', 2_001] as const];
    expect(counts([...arrivals, more])).toEqual({ ...NONE, arrived: 3, ...found });
  });

  test('a millisecond before it is due is early', () => {
    expect(counts([['one', 'a', 999] as const])).toMatchObject({ early: 1, lost: 2 });
  });

  test('a Variant that the service itself reports is not lost, and one that it reports although it arrived is neither', () => {
    const unconfirmed = (text: string, account: string) => ({ text, account, outcome: 'unconfirmed' as const });
    const arrivals = [['one', 'a', 1_000] as const, ['one', 'b', 1_005] as const];
    expect(counts(arrivals, [unconfirmed('two', 'c'), unconfirmed('one', 'a')])).toEqual({
      ...NONE,
      reported: 1,
      arrived: 2,
    });
  });
});
