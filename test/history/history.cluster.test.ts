import { expect, test } from 'vitest';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { runHistory } from './run-history.ts';

const { forMs, seed } = soak() ? soakRun() : { forMs: 90_000, seed: 19 };

test.skipIf((await jarsTrouble()) !== null)(
  `${forMs / 1_000} s of faults at processes, brokers, nodes, ways, clocks and disks: every answer fits one history (seed ${seed})`,
  { timeout: forMs + 1_800_000 },
  async ({ annotate }) => {
    const { verdict, report } = await runHistory({ forMs, seed });
    await annotate(report);
    console.log(report);
    expect(verdict.broken).toEqual([]);
  },
);
