import { expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { killedWhileConnecting } from './sign-in-kill.ts';

const ROUNDS = soak() ? 60 : 6;

test(
  'killed at any moment of sign-in, consent, code and refresh: nothing is good twice, and everybody can begin again',
  { timeout: 120_000 + ROUNDS * 30_000 },
  async ({ annotate }) => {
    await using crier = await CrierUnderTest.start({ name: 'sign-in-kill' });
    const diedIn = await killedWhileConnecting(crier, ROUNDS);
    await annotate(`died in ${diedIn.join(', ')}`);
    expect(diedIn.some((what) => what !== 'nothing')).toBe(true);
  },
);
