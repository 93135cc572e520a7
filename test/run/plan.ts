import { check, suite, type Stage } from './stages.ts';

/**
 * Every check and suite, one after the other: two stages at once would slow each other down on few cores, and suites
 * against real processes and engines measure time.
 */
export function stagesOf({ soak }: { readonly soak: boolean }): readonly Stage[] {
  return [
    check('types', 'node_modules/typescript/bin/tsc', '--noEmit'),
    check('app types', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'clients/app'),
    // Suites in Chromium open it; servers that start before it is built say so instead.
    check('app build', 'clients/app/build.ts'),
    // Hundreds of processes start from it.
    check('bundle', 'libs/testing/bundle/build.ts'),
    suite('unit'),
    // The 300 seeds of every run are tests of the unit project.
    ...(soak ? [check('simulation', 'test/simulation/main.ts', '--runs', '20000')] : []),
    suite('processes'),
    suite('guarantees'),
    suite('cluster'),
    // Faults are told after minutes, as in a real installation.
    ...(soak ? [suite('alerts')] : []),
  ];
}
