import { expect, test } from 'vitest';
import { SimulationEngine } from './engine.ts';

/** Steps of which many are cancelled before time is skipped, and more that are set afterwards. */
async function lateSteps(seed: number): Promise<readonly number[]> {
  const engine = new SimulationEngine({ seed, startMs: 0 });
  const late: number[] = [];
  const set = (delayMs: number): (() => void) => {
    const at = engine.elapsed + Math.ceil(delayMs);
    return engine.later({ label: 'step', owner: null, delayMs }, () => late.push(engine.elapsed - at));
  };
  for (let round = 0; round < 20; round++) {
    const cancels = Array.from({ length: 20 }, () => set(engine.between(1, 100_000)));
    for (const cancel of cancels) if (engine.chance(0.6)) cancel();
    engine.leap(100_000);
    set(engine.between(1, 20));
    await engine.run(engine.now + 1_000);
  }
  await engine.run(engine.now + 1_000_000);
  return late;
}

test('every step is taken at its instant, whatever was cancelled before time was skipped', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const late = await lateSteps(seed);
    expect(late.length).toBeGreaterThan(100);
    expect({ seed, latestMs: Math.max(...late) }).toEqual({ seed, latestMs: 0 });
  }
});
