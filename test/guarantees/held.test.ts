import { test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { heldUnderLoad, UNLIMITED } from './held.ts';

test(
  'held under load: two seconds later nothing more is sent, over a kill -9 and hours; released, all goes live in order',
  { timeout: 400_000 },
  async () => {
    await using crier = await CrierUnderTest.start({ env: { CRIER_DEMO: 'false', ...UNLIMITED } });
    await heldUnderLoad([crier], { mayAdvance: true });
  },
);
