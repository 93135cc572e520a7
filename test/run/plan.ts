import { ONLY_IN_CI } from './only-in-ci.ts';
import { check, quietCheck, suite, type Stage } from './stages.ts';

export interface Plan {
  /** What all other stages need, one after the other. */
  readonly first: readonly Stage[];
  /** Lanes run beside each other; the stages of a lane one after the other. */
  readonly lanes: readonly (readonly Stage[])[];
}

/**
 * How much is run. `test`: what fits twelve minutes on two cores. `ci`: every check and suite, as the continuous
 * integration does. `soak`: the long forms of all of it, for hours.
 */
export type Extent = 'test' | 'ci' | 'soak';

/**
 * The checks and suites of an extent. Suites on engines wait for most of their time, for sessions, due times and
 * restarts: one after the other with the rest, they would leave cores of a small machine idle for a quarter of an hour.
 * Beside them run first the suites that wait, too, and at the end unit tests, which keep every core busy, at a lower
 * priority: no process that is being timed waits for these. In a long run every suite has the machine for itself.
 */
export function planOf(extent: Extent): Plan {
  const first = [
    check('types', 'node_modules/typescript/bin/tsc', '--noEmit'),
    check('app types', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'clients/app'),
    // Suites in Chromium open it; servers that start before it is built say so instead.
    check('app build', 'clients/app/build.ts'),
    // Hundreds of processes start from it.
    check('bundle', 'libs/testing/bundle/build.ts'),
  ];
  if (extent === 'soak') return { first, lanes: [soak()] };
  // An accident would cost a whole run here; a long run looks for accidents.
  const once = { mayBeUnstable: true, leavesOut: extent === 'test' ? ONLY_IN_CI : [] };
  const processes = suite('processes', once);
  const unit = suite('unit', { ...once, givesWay: true });
  if (extent === 'test') return { first, lanes: [[suite('cluster', once)], [processes, unit]] };
  // The browser's suites run one after the other and take ten minutes.
  const alone = suite('guarantees', once);
  return {
    first,
    lanes: [
      [suite('cluster', once), fuzzers()],
      [alone, processes, unit],
    ],
  };
}

/** A minute for each target. The same seed in every run: what was found once is found again. */
function fuzzers(): Stage {
  return quietCheck('fuzz', 'test/fuzz/main.ts', '--seconds', '960', '--seed', '1');
}

function soak(): readonly Stage[] {
  // The 300 seeds of every run are tests of the unit project.
  const simulation = check('simulation', 'test/simulation/main.ts', '--runs', '20000', '--keep-going');
  // Faults are reported after minutes, as in a real installation.
  const last = [suite('cluster'), suite('alerts')];
  return [suite('unit'), simulation, fuzzers(), suite('guarantees'), suite('processes'), ...last];
}

/** In the order in which their outcomes are printed. */
export function stagesOf({ first, lanes }: Plan): readonly Stage[] {
  return [...first, ...lanes.flat()];
}
