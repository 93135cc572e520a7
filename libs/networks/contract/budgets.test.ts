import { expect, test } from 'vitest';
import { perNetwork } from '#domain/network.ts';
import { changeAtOnce, changeBudgets, MAX_AT_ONCE } from './budgets.ts';

const x = { account: [{ uses: 100, windowMs: 900_000 }], app: [{ uses: 10_000, windowMs: 86_400_000 }], atOnce: 64 };
const tiktok = { account: [{ uses: 6, windowMs: 60_000 }], app: [], atOnce: 32 };
const none = { account: [], app: [], atOnce: 16 };
const budgets = { ...perNetwork(() => none), x, tiktok };

test.each([
  ['', {}],
  ['off', { x: { ...x, account: [], app: [] }, tiktok: { ...tiktok, account: [] } }],
  ['x.account=300/15m', { x: { ...x, account: [{ uses: 300, windowMs: 900_000 }] } }],
  [
    ' tiktok.account=6/1m+15/1d , x.app=5/2h',
    {
      x: { ...x, app: [{ uses: 5, windowMs: 7_200_000 }] },
      tiktok: {
        ...tiktok,
        account: [
          { uses: 6, windowMs: 60_000 },
          { uses: 15, windowMs: 86_400_000 },
        ],
      },
    },
  ],
  ['youtube.app=100/1d', { youtube: { ...none, app: [{ uses: 100, windowMs: 86_400_000 }] } }],
])('"%s"', (changes, expected) => {
  expect(changeBudgets(budgets, changes)).toEqual({ ...budgets, ...expected });
});

test.each([
  'on',
  'x',
  'x.account',
  'x.account=',
  'x.account=0/1m',
  'x.account=5',
  'x.account=5/1w',
  'x.page=5/1m',
  'nowhere.app=5/1m',
  'x.app=5/1m,',
])('"%s" is refused in words', (changes) => {
  expect(() => changeBudgets(budgets, changes)).toThrow(/write/);
});

test.each([
  ['', {}],
  [' x=1 , tiktok=1024', { x: { ...x, atOnce: 1 }, tiktok: { ...tiktok, atOnce: MAX_AT_ONCE } }],
])('attempts at once: "%s"', (changes, expected) => {
  expect(changeAtOnce(budgets, changes)).toEqual({ ...budgets, ...expected });
});

test.each(['64', 'x', 'x=', 'x=0', 'x=1025', 'x=10000', 'x=64,', 'nowhere=64', 'x.app=64'])(
  'attempts at once: "%s" is refused in words',
  (changes) => {
    expect(() => changeAtOnce(budgets, changes)).toThrow(/write entries such as facebook=512, from 1 to 1024/);
  },
);
