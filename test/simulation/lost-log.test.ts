import { expect, test } from 'vitest';
import { NO_FAULTS } from './faults.ts';
import { simulate } from './simulate.ts';
import { storyOf } from './story.ts';

const SEEDS = 12;
const FIRST_SEED = 4_000;
/** A broker that does not sync, and loses its power again and again. */
const FAULTS = { ...NO_FAULTS, log: { ...NO_FAULTS.log, gone: 0.03 }, crashAtCall: 0.005 };

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'a log that loses one append in 33: no Variant and no sweep stays where it is, seed %i',
  { timeout: 300_000 },
  async (seed) => {
    const run = await simulate({ seed, faults: FAULTS });
    if (run.violations.length > 0) throw new Error(await storyOf(run, { faults: FAULTS }));
    expect(run.summary.variants['published']).toBeGreaterThan(0);
  },
);
