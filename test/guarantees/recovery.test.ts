import { expect, test } from 'vitest';
import { soak } from '#testing/engines/environment.ts';
import { POSTS, recoveries } from './recovery.ts';

const KILLS = soak() ? 10 : 1;
/**
 * From the moment that Crier is ready again until the outcome of every Variant is known. That includes the preparation
 * of those that were not sent yet, one after the other on each Channel; in the short form other suites occupy the
 * machine.
 */
const WITHIN_MS = soak() ? 15_000 : 120_000;

test(
  `killed with -9 amid ${POSTS} immediate Posts to all six Networks, Crier knows every outcome ${WITHIN_MS / 1000} s after it is ready again (${KILLS} kills)`,
  { timeout: 60_000 + KILLS * 300_000 },
  async () => {
    const { tookMs, ends } = await recoveries({ kills: KILLS });
    if (soak()) console.log(JSON.stringify(ends));
    expect(Math.max(...tookMs), JSON.stringify(ends)).toBeLessThanOrEqual(WITHIN_MS);
  },
);
