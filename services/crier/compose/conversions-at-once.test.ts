import { expect, test } from 'vitest';
import { conversionsAtOnceOf } from './conversions-at-once.ts';

const of = (conversionsAtOnce: number | null, cores: number, gib: number | null) =>
  conversionsAtOnceOf({ conversionsAtOnce }, { cores, limitBytes: gib === null ? null : gib * 1024 ** 3 });

test('as many conversions run at once as there are cores, and as the container holds, at least one', () => {
  expect([null, 4, 8, 11, 12, 64].map((gib) => of(null, 8, gib))).toEqual([8, 1, 1, 2, 3, 8]);
  expect([null, 11].map((gib) => of(null, 1, gib))).toEqual([1, 1]);
});

test('what is set counts, whatever there is', () => {
  expect([null, 4].map((gib) => of(6, 2, gib))).toEqual([6, 6]);
});
