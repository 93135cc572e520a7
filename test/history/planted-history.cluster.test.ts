import { describe, expect, test } from 'vitest';
import { BIN_CRIER } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { ALL_BUGS } from '../simulation/planted/all-bugs.ts';
import { runHistory } from './run-history.ts';

/** Of each kind of promise one bug against it; the simulation has all of them. */
const PLANTED = [
  'Answers go out before the compare-and-set',
  'The head is written over any version',
  'An armed attempt is taken for not published, without asking the Network',
  'Every second Variant is rejected with nothing sent',
  'A Workspace remembers neither results of requests nor the digests of Posts',
];
const FOR_MS = 120_000;
const SEED = 19;
const PLANT = new URL('plant-in-process.ts', import.meta.url);

describe.skipIf(!soak() || (await jarsTrouble()) !== null)('a bug in real processes is noticed', () => {
  test.each(PLANTED)('%s', { timeout: FOR_MS + 1_800_000 }, async (name) => {
    const bug = ALL_BUGS.find((each) => each.name === name);
    const address = new URL(PLANT);
    address.searchParams.set('bug', JSON.stringify(bug));
    // From the sources, as a bundle has none to plant in.
    const victims = { env: { NODE_OPTIONS: `--import=${address.href}` }, program: [BIN_CRIER, 'start'] };
    const { verdict } = await runHistory({ forMs: FOR_MS, seed: SEED, victims });
    expect(verdict.broken).not.toEqual([]);
  });
});
