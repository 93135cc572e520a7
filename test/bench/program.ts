import { dirname, join, resolve } from 'node:path';
import { freshBundle } from '#testing/bundle/fresh-bundle.ts';

const SOURCES = resolve(import.meta.dirname, '../../services/crier/cli/main.ts');

/**
 * The name of an environment variable: the program of another revision, which this one is compared with. Processes of
 * Crier get it too, and refuse to start with a name that begins as those of settings and is none.
 */
export const PROGRAM_VARIABLE = 'BENCH_PROGRAM';

/** What every process of a benchmark runs: the sources, as users do. A test wants rows, not figures, and saves time. */
export const MAIN = process.env[PROGRAM_VARIABLE] ?? (process.env['VITEST'] === undefined ? SOURCES : bundled());

function bundled(): string {
  const program = freshBundle();
  return program === null ? SOURCES : join(dirname(program), 'main.js');
}
