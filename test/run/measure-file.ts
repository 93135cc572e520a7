import { afterAll, expect } from 'vitest';
import { writeCost } from './file-costs.ts';
import { processorSeconds } from './processor-time.ts';

// Vitest loads this before each file of tests. Files of unit tests share a process, one after the other: what a process
// took since the file before ended, its own start and the loading of modules among it, is the file's.

declare global {
  var processorSecondsAtLastFile: number | undefined;
}

const folder = process.env['CRIER_TEST_COSTS'] ?? '';

// Hooks end in the reverse order: this one runs when the file's own have ended its processes.
afterAll(() => {
  const now = processorSeconds();
  if (folder === '' || now === null) return;
  const file = expect.getState().testPath!;
  writeCost(folder, { file, seconds: now - (globalThis.processorSecondsAtLastFile ?? 0) });
  globalThis.processorSecondsAtLastFile = now;
});
