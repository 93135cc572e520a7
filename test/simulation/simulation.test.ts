import { describe, expect, test } from 'vitest';
import { SEEDS } from './seeds.ts';
import { simulate } from './simulate.ts';
import { storyOf } from './story.ts';
import { addCounts } from './summary.ts';

const RUNS = 300;
const RUNS_A_TEST = 50;
const FIRST_SEED = 1_000;
const TIMEOUT_MS = 180_000;

async function expectAllWell(seed: number): Promise<Awaited<ReturnType<typeof simulate>>> {
  const run = await simulate({ seed });
  if (run.violations.length > 0) throw new Error(await storyOf(run));
  return run;
}

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

describe('whatever fails, every guarantee holds', () => {
  const chunks = Array.from({ length: RUNS / RUNS_A_TEST }, (_, index) => FIRST_SEED + index * RUNS_A_TEST);
  test.each(chunks)(`${RUNS_A_TEST} seeds from %i`, { timeout: TIMEOUT_MS }, async (from) => {
    const variants: Record<string, number> = {};
    const unconfirmed: Record<string, number> = {};
    const events: Record<string, number> = {};
    for (let seed = from; seed < from + RUNS_A_TEST; seed++) {
      const { summary } = await expectAllWell(seed);
      addCounts(variants, summary.variants);
      addCounts(unconfirmed, summary.unconfirmed);
      addCounts(events, summary.events);
    }
    console.log(
      `seeds ${from} to ${from + RUNS_A_TEST - 1}: ${JSON.stringify(variants)}; unconfirmed ${JSON.stringify(unconfirmed)}`,
    );
    // A run in which nothing happens proves nothing.
    expect(variants['published']).toBeGreaterThan(RUNS_A_TEST * 3);
    expect(variants['cancelled']).toBeGreaterThan(RUNS_A_TEST / 2);
    for (const happened of [
      'blow crash',
      'blow pause',
      'blow overlap',
      'blow outage',
      'turn-lost',
      'shard-overtaken',
      'attempt-watchdog-fired',
    ]) {
      expect(events[happened], happened).toBeGreaterThan(0);
    }
  });
});
