import { describe, expect, test } from 'vitest';
import { NO_FAULTS, type FaultPlan } from './faults.ts';
import { PLANTS } from './plants.ts';
import { simulate } from './simulate.ts';

/** Each planted bug must be found within so many seeds; with many crashes, because most of them do harm only then. */
const MAX_SEEDS = 30;
const FAULTS: Partial<FaultPlan> = { crashAtCall: 0.03 };
/** For bugs that show only when a clock leaps: the process survives, or crashes before its clock is corrected. */
const LEAPS: Partial<FaultPlan> = { crashAtCall: 0, blows: { ...NO_FAULTS.blows, 'leap-far': 1 }, blowEveryMs: 40_000 };
const LEAPS_AND_DEATHS: Partial<FaultPlan> = {
  blows: { ...NO_FAULTS.blows, 'leap-far': 2, crash: 1, rebalance: 1 },
  blowEveryMs: 15_000,
};
const HOLDS: Partial<FaultPlan> = { blows: { ...NO_FAULTS.blows, hold: 1 }, blowEveryMs: 15_000 };
const HOLDS_AND_DEATHS: Partial<FaultPlan> = { blows: { ...NO_FAULTS.blows, hold: 1, crash: 2 }, blowEveryMs: 8_000 };
const FAULTS_FOR: Readonly<Record<string, Partial<FaultPlan>>> = {
  'holds unseen': HOLDS,
  'holds forgotten at a restart': HOLDS_AND_DEATHS,
  'clock put back unnoticed': LEAPS,
  'watermark ahead of the clock believed': LEAPS_AND_DEATHS,
};
const TIMEOUT_MS = 180_000;

const NOTICED_BY: Readonly<Record<string, readonly string[]>> = {
  'holds unseen': ['nothing is sent while held'],
  'holds forgotten at a restart': ['nothing is sent while held'],
  'missed through holds': ['held is not missed'],
  'dedupe off': ['the same Post once', 'repeated requests agree'],
  'fired twice': ['live items agree with Variants'],
  'offset committed before effects': ['nothing is stuck'],
  'watermark jumps': ['timers fire', 'nothing is stuck'],
  'armed attempt sent again': ['live items agree with Variants'],
  'clock put back unnoticed': ['timers fire', 'nothing is stuck'],
  'watermark ahead of the clock believed': ['timers fire'],
  'pending effects not replayed': ['nothing is stuck', 'outcomes are told', 'live items agree with Variants'],
};

describe(`a planted bug is noticed within ${MAX_SEEDS} seeds, and without it the same seed is well`, () => {
  test.each(PLANTS)('$name', { timeout: TIMEOUT_MS }, async (plant) => {
    const expected = NOTICED_BY[plant.name] ?? [];
    const faults = FAULTS_FOR[plant.name] ?? FAULTS;
    for (let seed = 1; seed <= MAX_SEEDS; seed++) {
      const { violations } = await simulate({ seed, plant, faults });
      if (!violations.some(({ check }) => expected.includes(check))) continue;
      expect((await simulate({ seed, faults })).violations).toEqual([]);
      console.log(
        `${plant.name}: noticed at seed ${seed}: ${violations.find(({ check }) => expected.includes(check))!.detail}`,
      );
      return;
    }
    throw new Error(`${plant.name} was not noticed within ${MAX_SEEDS} seeds`);
  });
});
