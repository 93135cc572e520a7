import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { DELIVERIES } from '#tables/declarations/tables.ts';
import { measuredStore } from './measured-store.ts';

const row = { partition: ['d'], clustering: ['', 0, 'made'], body: new Uint8Array(1), format: 1 };

test('every request is reported with its duration and outcome, and answers as the store does', async () => {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  let fault: PortError | Error | null = null;
  const hooks = {
    before: async () => {
      await clock.sleep(30);
      if (fault !== null) throw fault;
    },
    after: async () => {},
  };
  const store = measuredStore(createMemoryTableStore({ clock, hooks }), clock, reporter);
  const after = async (work: Promise<unknown>): Promise<unknown> => {
    const settled = work.catch((error: unknown) => error);
    expect(store.inFlight()).toBe(1);
    await clock.advance(30);
    return settled;
  };
  await after(store.insert(DELIVERIES, [row]));
  expect(await after(store.read(DELIVERIES, ['d'], ['', 0, 'made']))).toMatchObject({ format: 1 });
  fault = new PortError('unavailable', 'away');
  expect(await after(store.slice(DELIVERIES, ['d'], { limit: 1 }))).toBe(fault);
  fault = new Error('a defect');
  expect(await after(store.dropPartition(DELIVERIES, ['d']))).toBe(fault);
  fault = null;
  expect(await after(store.partitions(DELIVERIES, { after: null, limit: 10 }))).toEqual({ keys: [['d']], next: null });
  expect(store.inFlight()).toBe(0);
  expect(reporter.of('store-request-ended').map(({ facts }) => facts)).toEqual([
    { operation: 'insert', outcome: 'ok', durationMs: 30 },
    { operation: 'read', outcome: 'ok', durationMs: 30 },
    { operation: 'slice', outcome: 'unavailable', durationMs: 30 },
    { operation: 'drop-partition', outcome: 'unknown', durationMs: 30 },
    { operation: 'partitions', outcome: 'ok', durationMs: 30 },
  ]);
});
