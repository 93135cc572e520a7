import { expect, test } from 'vitest';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { NO_FAULTS } from './faults.ts';
import { simulate, type SimulateOptions } from './simulate.ts';
import { storyOf } from './story.ts';

/** A small world: each step of each role is tried, one a run; in short runs each tenth, another tenth each day. */
const WORLD: SimulateOptions = { seed: 4, deeds: 12, faults: NO_FAULTS };
const STRIDE = soak() ? 1 : 10;
/** Past the deadline of a sender, while its successor is at work. */
const PAUSE_MS = 30_000;
const TIMEOUT_MS = soak() ? 3_600_000 : 180_000;
const ROLES = ['workspace', 'scheduler', 'publisher'] as const;

test.each(ROLES)(
  'a %s that is held up between any two of its steps, and goes on after its successor, breaks nothing',
  { timeout: TIMEOUT_MS },
  async (role) => {
    const quiet = await simulate(WORLD);
    expect(quiet.violations).toEqual([]);
    const steps = quiet.world.boundaries.count(role);
    expect(steps).toBeGreaterThan(20);
    for (let call = 1 + (soakRun().seed % STRIDE); call <= steps; call += STRIDE) {
      const options = { ...WORLD, pauseAt: { role, call, pauseMs: PAUSE_MS } };
      const run = await simulate(options);
      if (run.violations.length > 0)
        throw new Error(`held up at step ${call} of ${role}: ${await storyOf(run, options)}`);
    }
    console.log(`${role}: ${Math.ceil(steps / STRIDE)} of ${steps} steps`);
  },
);
