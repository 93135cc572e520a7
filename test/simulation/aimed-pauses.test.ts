import { expect, test } from 'vitest';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { NO_FAULTS } from './faults.ts';
import type { Part, SimulatedRole } from './roles.ts';
import { simulate, type SimulateOptions } from './simulate.ts';
import { storyOf } from './story.ts';

/** One of each kind of store: an even one has log and store in one engine. */
const SEEDS = [4, 5] as const;
/** What runs beside the roles of every world, where one of its steps is aimed at. */
const AIMS: readonly { readonly role: SimulatedRole; readonly parts: readonly Part[] }[] = [
  { role: 'workspace', parts: ['media'] },
  { role: 'scheduler', parts: ['webhooks'] },
  { role: 'publisher', parts: [] },
  { role: 'webhooks', parts: ['webhooks'] },
  { role: 'media', parts: ['media'] },
];
/** For a takeover only; past the deadline of a sender, while its successor is at work; past all deadlines. */
const PAUSES_MS = [10_000, 30_000, 90_000] as const;
/** In short runs one of so many pauses, others each day. A prime, so that all pauses and steps have their day. */
const STRIDE = soak() ? 1 : 311;
const TIMEOUT_MS = soak() ? 3_600_000 : 180_000;

const CASES = SEEDS.flatMap((seed) => AIMS.map((aim) => ({ seed, ...aim })));

test.each(CASES)(
  'a $role that is held up between any two of its steps, and goes on after its successor, breaks nothing, seed $seed',
  { timeout: TIMEOUT_MS },
  async ({ seed, role, parts }) => {
    // A small world: each step is tried, one a run.
    const world: SimulateOptions = { seed, parts, deeds: 12, faults: NO_FAULTS };
    const quiet = await simulate(world);
    expect(quiet.violations).toEqual([]);
    const steps = quiet.world.boundaries.count(role);
    expect(steps).toBeGreaterThan(20);
    const pauses = Array.from({ length: steps }, (_, step) => step + 1).flatMap((call) =>
      PAUSES_MS.map((pauseMs) => ({ role, call, pauseMs })),
    );
    const first = soakRun().seed % STRIDE;
    const tried = pauses.filter((_, index) => index % STRIDE === first);
    for (const pauseAt of tried) {
      const options = { ...world, pauseAt };
      const run = await simulate(options);
      if (run.violations.length > 0)
        throw new Error(
          `held up for ${pauseAt.pauseMs} ms at step ${pauseAt.call} of ${role}: ${await storyOf(run, options)}`,
        );
    }
    console.log(`${role} of seed ${seed}: ${tried.length} of ${pauses.length} pauses, ${steps} steps`);
  },
);
