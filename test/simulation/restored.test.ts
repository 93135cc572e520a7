import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OVERDUE_CHOICES } from '#domain/restoration.ts';
import type { Networks } from '#networks/registry.ts';
import { worldsOf } from './arguments.ts';
import type { Plant } from './plant.ts';
import { simulateRestore, type RestoreOptions } from './restore.ts';
import { storyOfRestored } from './story.ts';
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

test.each(OVERDUE_CHOICES)(
  'a restored installation that is released by %s does what was chosen, and tells each Variant truly',
  { timeout: TIMEOUT_MS },
  async (overdue) => {
    const ends: Record<string, number> = {};
    let meanwhile = 0;
    for (let seed = 1; seed <= SEEDS[overdue]; seed++) {
      const run = await simulateRestore({ seed, overdue });
      if (run.violations.length > 0) expect.fail(await storyOfRestored(run, { seed, overdue }));
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
    await expectRepeated({ seed, overdue: 'ask', plant: NOT_ASKED });
    return;
  }
  expect.fail(`it was not noticed within ${MAX_SEEDS} seeds`);
});

/** The story of a world that fails names fewer steps, and a line that repeats it. */
async function expectRepeated(options: RestoreOptions): Promise<void> {
  const run = await simulateRestore(options);
  const story = await storyOfRestored(run, options);
  const line = new RegExp(
    `^  npm run --silent sim -- --seed ${options.seed} --only '([^']*)' --restored ${options.overdue}$`,
    'm',
  );
  const asked = worldsOf([
    '--seed',
    `${options.seed}`,
    '--only',
    line.exec(story)![1]!,
    '--restored',
    options.overdue,
  ])!;
  const only = asked.options.only!;
  expect(only.length).toBeLessThan(run.world.script.steps.length);
  const again = await simulateRestore({ ...options, seed: asked.first, overdue: asked.restored!, only });
  expect(again.violations.map(({ check }) => check)).toContain(run.violations[0]!.check);
  for (const word of again.violations[0]!.about) expect(story).toContain(`  about ${word}:`);
  const picture = readFileSync(/as a picture: (.*)$/m.exec(story)![1]!, 'utf8');
  expect(picture).toContain('the backup is restored');
}
