import { check, suite, type Stage } from './stages.ts';

export interface Plan {
  /** What all other stages need, one after the other. */
  readonly first: readonly Stage[];
  /** Lanes run beside each other; the stages of a lane one after the other. */
  readonly lanes: readonly (readonly Stage[])[];
}

/**
 * Every check and suite. Suites on engines wait for most of their time, for sessions, due times and restarts: one after
 * the other with the rest, they would leave cores of a small machine idle for a quarter of an hour. Beside them run
 * first the suites that wait, too, and at the end unit tests, which keep every core busy, at a lower priority: no
 * process that is being timed waits for these. In a long run every suite has the machine for itself.
 */
export function planOf({ soak }: { readonly soak: boolean }): Plan {
  const first = [
    check('types', 'node_modules/typescript/bin/tsc', '--noEmit'),
    check('app types', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'clients/app'),
    // Suites in Chromium open it; servers that start before it is built say so instead.
    check('app build', 'clients/app/build.ts'),
    // Hundreds of processes start from it.
    check('bundle', 'libs/testing/bundle/build.ts'),
  ];
  // An accident would cost a run of half an hour here; a long run looks for accidents.
  const once = { mayBeUnstable: !soak };
  const processes = [suite('guarantees', once), suite('processes', once)];
  const unit = suite('unit', { ...once, givesWay: !soak });
  if (!soak) return { first, lanes: [[suite('cluster', once)], [...processes, unit]] };
  // The 300 seeds of every run are tests of the unit project.
  const simulation = check('simulation', 'test/simulation/main.ts', '--runs', '20000');
  // Faults are reported after minutes, as in a real installation.
  const last = [suite('cluster'), suite('alerts')];
  return { first, lanes: [[unit, simulation, ...processes, ...last]] };
}

/** In the order in which their outcomes are printed. */
export function stagesOf({ first, lanes }: Plan): readonly Stage[] {
  return [...first, ...lanes.flat()];
}
