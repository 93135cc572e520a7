import { describe, expect, test } from 'vitest';
import { PLANTS } from './plants.ts';
import { simulate } from './simulate.ts';

/** Each plant is noticed within so many seeds; with many crashes, because that is when most of them do harm. */
const SEEDS_AT_MOST = 30;
const FAULTS = { crashAtCall: 0.03 };
const TIMEOUT_MS = 180_000;

const NOTICED_BY: Readonly<Record<string, readonly string[]>> = {
  'dedupe off': ['the same Post once', 'repeated requests agree'],
  'fired twice': ['live items agree with Variants'],
  'offset committed before effects': ['nothing is stuck'],
  'watermark jumps': ['timers fire', 'nothing is stuck'],
  'armed attempt sent again': ['live items agree with Variants'],
  'pending effects not replayed': ['nothing is stuck', 'outcomes are told', 'live items agree with Variants'],
};

describe(`a planted bug is noticed within ${SEEDS_AT_MOST} seeds, and without it the same seed is well`, () => {
  test.each(PLANTS)('$name', { timeout: TIMEOUT_MS }, async (plant) => {
    const expected = NOTICED_BY[plant.name] ?? [];
    for (let seed = 1; seed <= SEEDS_AT_MOST; seed++) {
      const { violations } = await simulate({ seed, plant, faults: FAULTS });
      if (!violations.some(({ check }) => expected.includes(check))) continue;
      expect((await simulate({ seed, faults: FAULTS })).violations).toEqual([]);
      console.log(`${plant.name}: noticed at seed ${seed}: ${violations.find(({ check }) => expected.includes(check))!.detail}`);
      return;
    }
    throw new Error(`${plant.name} was not noticed within ${SEEDS_AT_MOST} seeds`);
  });
});
