import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { writeCost } from './file-costs.ts';
import { processorSeconds } from './processor-time.ts';

// Vitest loads this before each file of tests. Files of unit tests share a process, one after the other: what a process
// took since the file before ended, its own start and the loading of modules among it, is the file's.

declare global {
  var processorSecondsAtLastFile: number | undefined;
}

const folder = process.env['CRIER_TEST_COSTS'] ?? '';

/** In each of these looks a thread that goes on and on has a processor for a quarter of the time, or more. */
const LOOKS = 100;
const LOOK_MS = 20;

async function goesOnAndOn(): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const [from, before] = [performance.now(), process.threadCpuUsage()];
    await sleep(LOOK_MS);
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 < (performance.now() - from) / 4) return false;
  }
  return true;
}

// What a file leaves behind that never ends takes the processor from all files after it, none of which would say why.
afterAll(async () => {
  if (await goesOnAndOn()) throw new Error('the tests of this file have ended, and something of them goes on and on');
});

// Hooks end in the reverse order: this one runs when the file's own have ended its processes.
afterAll(() => {
  const now = processorSeconds();
  if (folder === '' || now === null) return;
  const file = expect.getState().testPath!;
  writeCost(folder, { file, seconds: now - (globalThis.processorSecondsAtLastFile ?? 0) });
  globalThis.processorSecondsAtLastFile = now;
});
