import { describe, expect, test } from 'vitest';
import { BIN_CRIER } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { ALL_BUGS } from '../simulation/planted/all-bugs.ts';
import { runHistory, type HistoryOptions } from './run-history.ts';

/**
 * Two owners of one Workspace, one of which goes on after a pause and writes what it knew over what the other one has
 * changed since. The other one's next turn writes all of its state again, so the loss lasts only where no turn comes
 * before the group's next rebalance: many Workspaces, of which each has a turn now and then.
 */
const OVERLAPS: Partial<HistoryOptions> = { kinds: ['worker paused until replaced'], workspaces: 16, clients: 24 };

/** Of each kind of promise one bug against it; the simulation has all of them. */
const PLANTED: readonly (readonly [string, Partial<HistoryOptions>])[] = [
  ['Answers go out before the compare-and-set', {}],
  ['The head is written over any version', OVERLAPS],
  ['An armed attempt is taken for not published, without asking the Network', {}],
  ['Every second Variant is rejected with nothing sent', {}],
  ['A Workspace remembers neither results of requests nor the digests of Posts', {}],
];
const FOR_MS = 120_000;
const SEED = 19;
const PLANT = new URL('plant-in-process.ts', import.meta.url);

describe.skipIf(!soak() || (await jarsTrouble()) !== null)('a bug in real processes is noticed', () => {
  test.each(PLANTED)('%s', { timeout: FOR_MS + 1_800_000 }, async (name, options) => {
    const bug = ALL_BUGS.find((each) => each.name === name);
    const address = new URL(PLANT);
    address.searchParams.set('bug', JSON.stringify(bug));
    // From the sources, as a bundle has none to plant in.
    const victims = { env: { NODE_OPTIONS: `--import=${address.href}` }, program: [BIN_CRIER, 'start'] };
    const { verdict, report } = await runHistory({ forMs: FOR_MS, seed: SEED, victims, ...options });
    console.log(`${report}\n${verdict.broken.join('\n')}`);
    expect(verdict.broken).not.toEqual([]);
  });
});
