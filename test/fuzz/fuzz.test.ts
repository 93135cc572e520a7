import { expect, test } from 'vitest';
import { seed } from '#testing/engines/environment.ts';
import { fuzz } from './run-target.ts';
import { FUZZ_TARGETS } from './targets.ts';

test.each(FUZZ_TARGETS.map((target) => [target.name, target.holds, target] as const))(
  '%s: %s',
  async (_name, _holds, target) => {
    const { failures } = await fuzz(target, { seed: seed(1), cases: target.cases, forMs: Infinity });
    expect(failures).toEqual([]);
  },
);
