import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableOperation } from '#adapters/memory/table-store.ts';
import { PROCESSES } from '#tables/declarations/tables.ts';
import { ANNOUNCE_MS, readAnnouncedProcesses } from '#tables/repositories/announced-processes.ts';
import { createAnnouncement } from './announcement.ts';

test('a process that ends while it renews its row is known to have ended', async () => {
  const clock = createMemoryClock();
  let writes = 0;
  const slow = Promise.withResolvers<void>();
  const before = async (operation: TableOperation): Promise<void> => {
    if (operation.name === 'compareAndSet' && operation.table === PROCESSES && ++writes === 2) await slow.promise;
  };
  const store = createMemoryTableStore({ clock, hooks: { before, after: async () => {} } });
  const announcement = createAnnouncement(
    {
      ...{ store, clock, ids: createSeededIds(1), reporter: createMemoryReporter(), isSole: false },
      brake: { forget: () => {} },
    },
    { address: 'http://process', publishes: [], secretKeys: ['key'] },
  );
  await announcement.start();
  await clock.advance(ANNOUNCE_MS);
  const stopped = announcement.stop();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  slow.resolve();
  await stopped;
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(await readAnnouncedProcesses(store)).toEqual([expect.objectContaining({ stoppedAt: clock.now() })]);
});
