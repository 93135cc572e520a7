import { expect, test } from 'vitest';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { runHistory } from './run-history.ts';

const { forMs, seed } = soak() ? soakRun() : { forMs: 90_000, seed: 19 };

/** Far below what a machine with two busy cores makes. */
const LEAST_PUBLISHED_A_MINUTE = 10;
/** The short form has time for some of each lane. */
const LEAST_KINDS = 6;
/** Where everything is required, clocks can be steered and disks mounted. */
const mayDoAll = process.env['CRIER_REQUIRE_CLUSTER'] === '1' && process.getuid?.() === 0;

test.skipIf((await jarsTrouble()) !== null)(
  `${forMs / 1_000} s of faults at processes, brokers, nodes, ways, clocks and disks: every answer fits one history (seed ${seed})`,
  { timeout: forMs + 1_800_000 },
  async ({ annotate }) => {
    const { verdict, faults, report } = await runHistory({ forMs, seed, everyKind: soak() });
    await annotate(report);
    console.log(report);
    expect(verdict.broken).toEqual([]);
    // A history in which nothing happens keeps every promise.
    expect(verdict.counts.published, 'published').toBeGreaterThan((forMs / 60_000) * LEAST_PUBLISHED_A_MINUTE);
    expect(faults.counts.size, 'kinds of faults').toBeGreaterThanOrEqual(LEAST_KINDS);
    if (soak()) expect(faults.missing, 'kinds of faults that never came').toEqual([]);
    if (mayDoAll) expect(faults.impossible, 'make tools fetches libfaketime; mount needs its right').toEqual([]);
  },
);
