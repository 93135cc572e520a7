import { dirname, join, resolve } from 'node:path';
import { freshBundle } from '#testing/bundle/fresh-bundle.ts';

const SOURCES = resolve(import.meta.dirname, '../../services/crier/cli/main.ts');

/** What every process of a benchmark runs: the sources, as users do. A test wants rows, not figures, and saves time. */
export const MAIN = process.env['VITEST'] === undefined ? SOURCES : bundled();

function bundled(): string {
  const program = freshBundle();
  return program === null ? SOURCES : join(dirname(program), 'main.js');
}
