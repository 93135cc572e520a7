import { expect, test, vi } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createHousekeeping } from './housekeeping.ts';

const EVERY_SECOND = '* * * * * *';

test('a chore runs at its times until it is stopped; one that fails is told of and harms no other', async () => {
  const reporter = createMemoryReporter();
  const done = vi.fn(async () => {});
  const housekeeping = createHousekeeping(
    [
      { name: 'good', at: EVERY_SECOND, run: done },
      { name: 'bad', at: EVERY_SECOND, run: async () => { throw new Error('no'); } },
    ],
    reporter,
  );
  await housekeeping.start();
  await vi.waitFor(() => {
    expect(done.mock.calls.length).toBeGreaterThan(0);
    expect(reporter.of('chore-failed')[0]?.facts).toEqual({ chore: 'bad' });
  }, { timeout: 10_000 });
  await housekeeping.stop();
  const runs = done.mock.calls.length;
  // A second later it would have run again.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(done.mock.calls.length).toBe(runs);
});
