import { expect, test, vi } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createHousekeeping } from './housekeeping.ts';

const EVERY_SECOND = '* * * * * *';

test('a chore runs at its times until it is stopped; a chore that fails is reported and does not disturb the others', async () => {
  const reporter = createMemoryReporter();
  const done = vi.fn(async () => {});
  const housekeeping = createHousekeeping(
    [
      { name: 'good', at: EVERY_SECOND, run: done },
      {
        name: 'bad',
        at: EVERY_SECOND,
        run: async () => {
          throw new Error('no');
        },
      },
    ],
    reporter,
  );
  await housekeeping.start();
  await vi.waitFor(
    () => {
      expect(done.mock.calls.length).toBeGreaterThan(0);
      expect(reporter.of('housekeeping-failed')[0]?.facts).toEqual({ job: 'bad' });
    },
    { timeout: 60_000 },
  );
  await housekeeping.stop();
  const runs = done.mock.calls.length;
  // The second run of the other chore shows that a second has passed, in which this one would have run again.
  const later = vi.fn(async () => {});
  const another = createHousekeeping([{ name: 'later', at: EVERY_SECOND, run: later }], reporter);
  await another.start();
  await vi.waitFor(() => expect(later.mock.calls.length).toBeGreaterThan(1), { timeout: 60_000 });
  await another.stop();
  expect(done.mock.calls.length).toBe(runs);
});
