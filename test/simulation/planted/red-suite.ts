import { fileURLToPath } from 'node:url';
import type { Vitest } from 'vitest/node';
import type { PlantedInSuite } from './planted-bug.ts';
import { plantedSources, PROJECT, projectFile } from './source-edits.ts';

/** A machine that others keep busy must not be what makes a test red. */
const TIMEOUT_MS = 900_000;

/** Files of tests that are known to pass without any bug. */
const sound = new Set<string>();

/**
 * The first test of its file that fails with the bug in the source, and passes without it; null: all pass. Rejects
 * where the tests do not run at all, since a file that can't be loaded notices nothing.
 */
export async function redTest(bug: PlantedInSuite): Promise<string | null> {
  const red = await firstRed(bug.suite, sourcesOf(bug));
  if (red === null || sound.has(bug.suite)) return red;
  const without = await firstRed(bug.suite, new Map());
  if (without !== null) throw new Error(`${bug.suite} is red without any bug: ${without}`);
  sound.add(bug.suite);
  return red;
}

type Sources = ReadonlyMap<string, string>;

function sourcesOf(bug: PlantedInSuite): Sources {
  return new Map([...plantedSources(bug)].map(([file, source]) => [fileURLToPath(projectFile(file)), source]));
}

async function firstRed(suite: string, sources: Sources): Promise<string | null> {
  const vitest = await runSuite(suite, sources);
  try {
    const modules = vitest.state.getTestModules();
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    if (!tests.some((test) => ['passed', 'failed'].includes(test.result().state))) {
      const errors = [...vitest.state.getUnhandledErrors(), ...modules.flatMap((module) => module.errors())];
      throw new Error(`no test of ${suite} runs: ${errors.map((error) => JSON.stringify(error)).join('\n')}`);
    }
    const red = tests.find((test) => test.result().state === 'failed');
    const why = red?.result().errors?.map(({ message }) => message) ?? [];
    if (why.some((words) => words.includes('timed out'))) throw new Error(`${red!.fullName}: ${why.join(', ')}`);
    return red?.fullName ?? null;
  } finally {
    await vitest.close();
    // Vitest takes a test that fails for a failure of this program.
    process.exitCode = 0;
  }
}

async function runSuite(suite: string, sources: Sources): Promise<Vitest> {
  const { startVitest } = await import('vitest/node');
  return startVitest(
    'test',
    [suite],
    {
      config: false,
      root: fileURLToPath(PROJECT),
      watch: false,
      // What is kept on disk of one run is taken for the source by the next, and a bug would come into other tests.
      fsModuleCache: false,
      bail: 1,
      maxWorkers: 1,
      testTimeout: TIMEOUT_MS,
      hookTimeout: TIMEOUT_MS,
      reporters: [{}],
    },
    { plugins: [{ name: 'planted-bug', enforce: 'pre', load: (id) => sources.get(id.split('?')[0]!) }] },
  );
}
