import { describe, expect, test } from 'vitest';
import { OPEN_SEEDS } from './seeds.ts';
import { simulate, type SimulationResult } from './simulate.ts';
import { storyOf } from './story.ts';
import { addCounts } from './summary.ts';

const SEEDS_A_TEST = 50;
const TIMEOUT_MS = 600_000;

/** Rejects with what happened when a guarantee was broken. */
export async function expectAllWell(seed: number): Promise<SimulationResult> {
  const run = await simulate({ seed });
  if (run.violations.length > 0) throw new Error(await storyOf(run));
  return run;
}

/** Declares tests of `seeds` worlds, from `first` on: every guarantee holds in each, and each fault happened. */
export function testWorlds({ first, seeds }: { readonly first: number; readonly seeds: number }): void {
  describe('whatever fails, every guarantee holds', () => {
    const ofAll: Record<string, number> = {};
    const chunks = Array.from({ length: seeds / SEEDS_A_TEST }, (_, index) => first + index * SEEDS_A_TEST);
    test.each(chunks)(`${SEEDS_A_TEST} seeds from %i`, { timeout: TIMEOUT_MS }, async (from) => {
      const variants: Record<string, number> = {};
      const unconfirmed: Record<string, number> = {};
      const events: Record<string, number> = {};
      const seen: Record<string, number> = {};
      for (let seed = from; seed < from + SEEDS_A_TEST; seed++) {
        if (OPEN_SEEDS.some((open) => open.seed === seed)) continue;
        const { summary } = await expectAllWell(seed);
        addCounts(variants, summary.variants);
        addCounts(unconfirmed, summary.unconfirmed);
        addCounts(events, summary.events);
        addCounts(seen, summary.seen);
      }
      console.log(
        `seeds ${from} to ${from + SEEDS_A_TEST - 1}: ${JSON.stringify(variants)}; unconfirmed ${JSON.stringify(unconfirmed)}`,
      );
      // A run in which nothing happens proves nothing.
      expect(variants['published']).toBeGreaterThan(SEEDS_A_TEST * 3);
      expect(variants['cancelled']).toBeGreaterThan(SEEDS_A_TEST / 2);
      expect(seen['accept ok'], 'Members joined').toBeGreaterThan(SEEDS_A_TEST / 5);
      expect(seen['member refused forbidden'], 'Members were refused for their role').toBeGreaterThan(0);
      for (const happened of [
        'blow crash',
        'blow pause',
        'blow overlap',
        'blow outage',
        'blow hold',
        'blow stall',
        'webhook-delivery-ended',
        'media-preparation-ended',
        'turn-lost',
        'attempt-watchdog-fired',
      ]) {
        expect(events[happened], happened).toBeGreaterThan(0);
      }
      addCounts(ofAll, events);
    });

    // In one world of thirty, and there several times.
    test('a shard of timers was taken from an owner that went on', () => {
      expect(ofAll['shard-overtaken'] ?? 0).toBeGreaterThanOrEqual(chunks.length);
    });
  });
}
