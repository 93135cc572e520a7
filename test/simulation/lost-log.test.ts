import { expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { NO_FAULTS } from './faults.ts';
import type { Plant } from './plant.ts';
import { simulate } from './simulate.ts';
import { storyOf } from './story.ts';

const SEEDS = 12;
const FIRST_SEED = 4_000;
/** Of the appends to these topics one in so many is acknowledged, and gone. */
const ONE_IN = 33;
/** More than the set-up of a world, which needs its answers. */
const SPARED = 100;
const LOSING = /^(workspace\.commands|publish\.|timers\.)/;

/** A broker that does not sync, and loses its power again and again. */
function losing(): Plant {
  let appends = 0;
  const append = (log: Log): Log['append'] => {
    return async (topic, records, options) => {
      if (!LOSING.test(topic) || ++appends <= SPARED || appends % ONE_IN !== 0)
        return log.append(topic, records, options);
      return records.map(({ partition = 0 }) => ({ topic, partition, offset: 0 }));
    };
  };
  return { name: 'a log that loses what it acknowledged', log: (log) => ({ ...log, append: append(log) }) };
}

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'a log that loses one append in 33: no Variant and no sweep stays where it is, seed %i',
  { timeout: 300_000 },
  async (seed) => {
    const run = await simulate({ seed, plant: losing(), faults: { ...NO_FAULTS, crashAtCall: 0.005 } });
    // That the message of each timer is in the log is what this log does not keep.
    const violations = run.violations.filter(({ check }) => check !== 'timers fire');
    if (violations.length > 0) throw new Error(await storyOf({ ...run, violations }));
    expect(run.summary.variants['published']).toBeGreaterThan(0);
  },
);
