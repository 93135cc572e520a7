import { join } from 'node:path';
import { BUNDLE, freshBundle } from '#testing/bundle/fresh-bundle.ts';
import { BIN_CRIER } from '#testing/crier-process.ts';

const NODE = join(BIN_CRIER, '../../node_modules/.bin/node');
const SOURCE = join(import.meta.dirname, 'with-files.ts');

/** Runs with-files.ts, or the same as a bundle while that is fresh, with files at this address. */
export function withFilesAt(baseUrl: string): readonly string[] {
  return [NODE, freshBundle() === null ? SOURCE : join(BUNDLE, 'with-files.js'), baseUrl];
}
