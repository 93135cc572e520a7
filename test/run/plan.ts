import { check, suite, type Stage } from './stages.ts';

export interface Plan {
  /** What all other stages need, one after the other. */
  readonly first: readonly Stage[];
  /** Lanes run beside each other; the stages of a lane one after the other. */
  readonly lanes: readonly (readonly Stage[])[];
}

/**
 * Every check and suite. Suites on engines and those of processes wait for most of their time, each for its own clocks.
 * They run beside each other, and unit tests, which keep a core busy, at a lower priority: these get what the others
 * leave, and no process that is being timed waits for them. In a long run everything has the machine for itself.
 */
export function planOf({ soak }: { readonly soak: boolean }): Plan {
  const first = [
    // Suites in Chromium open it; servers that start before it is built say so instead.
    check('app build', 'clients/app/build.ts'),
    // Hundreds of processes start from it.
    check('bundle', 'libs/testing/bundle/build.ts'),
  ];
  const types = [
    check('types', 'node_modules/typescript/bin/tsc', '--noEmit'),
    check('app types', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'clients/app'),
  ];
  const processes = [suite('processes'), suite('guarantees')];
  if (!soak) return { first, lanes: [[suite('cluster')], processes, [...types, suite('unit', { givesWay: true })]] };
  // The 300 seeds of every run are tests of the unit project.
  const simulation = check('simulation', 'test/simulation/main.ts', '--runs', '20000');
  // Faults are told after minutes, as in a real installation.
  const last = [suite('cluster'), suite('alerts')];
  return { first, lanes: [[...types, suite('unit'), simulation, ...processes, ...last]] };
}

/** In the order in which their outcomes are printed. */
export function stagesOf({ first, lanes }: Plan): readonly Stage[] {
  return [...first, ...lanes.flat()];
}
