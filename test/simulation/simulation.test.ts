import { expect, test } from 'vitest';
import { OPEN_SEEDS, SEEDS } from './seeds.ts';
import { simulate } from './simulate.ts';
import { expectAllWell, testWorlds } from './worlds.fixture.ts';

test('the same seed is the same run, step by step; another seed is another run', async () => {
  const one: string[] = [];
  const other: string[] = [];
  const first = await simulate({ seed: 7, onStep: (at, label) => void one.push(`${at} ${label}`) });
  const again = await simulate({ seed: 7, onStep: (at, label) => void other.push(`${at} ${label}`) });
  const firstDifference = one.findIndex((line, index) => line !== other[index]);
  expect(firstDifference === -1 ? [] : [one[firstDifference], other[firstDifference]]).toEqual([]);
  expect(again.fingerprint).toBe(first.fingerprint);
  expect(again.summary).toEqual(first.summary);
  expect(first.steps).toBeGreaterThan(1_000);
  expect((await simulate({ seed: 8 })).fingerprint).not.toBe(first.fingerprint);
});

test.each(SEEDS)('seed $seed: $guarantee', async ({ seed }) => {
  expect((await expectAllWell(seed)).violations).toEqual([]);
});

test.each(OPEN_SEEDS)('seed $seed is open: $broken', async ({ seed }) => {
  expect((await simulate({ seed })).violations).not.toEqual([]);
});

// The other half of the worlds of every run is in more-worlds.test.ts, so that two cores share them.
testWorlds({ first: 1_000, seeds: 150 });
