import { expect, test } from 'vitest';
import { OVERDUE_CHOICES } from '#domain/restoration.ts';
import type { Networks } from '#networks/registry.ts';
import type { Plant } from './plant.ts';
import { simulateRestore, type RestoreOptions } from './restore.ts';
import { addCounts } from './summary.ts';

const TIMEOUT_MS = 180_000;
const SEEDS: Readonly<Record<(typeof OVERDUE_CHOICES)[number], number>> = { ask: 8, fail: 4, publish: 5 };
const MAX_SEEDS = 8;

/** The Networks are not asked: each is said to have nothing. */
const NOT_ASKED: Plant = {
  name: 'not asked after a restore',
  networks: (networks) => {
    const summary = { status: 0, detail: '' };
    const search = async () => ({ kind: 'searched', items: [], isProof: true, listedAfterMs: 0, summary }) as const;
    const adapters = Object.fromEntries(
      Object.entries(networks.adapters).map(([network, adapter]) => [network, { ...adapter, search }]),
    );
    return { ...networks, adapters } as Networks;
  },
};

async function storyOf(options: RestoreOptions): Promise<string> {
  const { violations, world } = await simulateRestore({ ...options, trace: true });
  const lines = violations.map(({ check, detail }) => `${check}: ${detail}`);
  return [`seed ${options.seed}, ${options.overdue}`, ...lines, ...world.trace.about(violations[0]?.about ?? [])]
    .slice(0, 150)
    .join('\n');
}

test.each(OVERDUE_CHOICES)(
  'a restored installation that is released by %s does what was chosen, and tells each Variant truly',
  { timeout: TIMEOUT_MS },
  async (overdue) => {
    const ends: Record<string, number> = {};
    let meanwhile = 0;
    for (let seed = 1; seed <= SEEDS[overdue]; seed++) {
      const run = await simulateRestore({ seed, overdue });
      if (run.violations.length > 0) expect.fail(await storyOf({ seed, overdue }));
      addCounts(ends, run.ends);
      meanwhile += run.publishedMeanwhile;
    }
    console.log(`${overdue}: ${JSON.stringify(ends)}; published meanwhile ${meanwhile}`);
    // A run in which nothing happens proves nothing.
    expect(meanwhile).toBeGreaterThan(SEEDS[overdue]);
  },
);

test('a restored installation that does not ask is noticed', { timeout: TIMEOUT_MS }, async () => {
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const { violations } = await simulateRestore({ seed, overdue: 'ask', plant: NOT_ASKED });
    const found = violations.find(({ check }) => check === 'live once' || check === 'told truly');
    if (found === undefined) continue;
    console.log(`noticed at seed ${seed}: ${found.detail}`);
    return;
  }
  expect.fail(`it was not noticed within ${MAX_SEEDS} seeds`);
});
