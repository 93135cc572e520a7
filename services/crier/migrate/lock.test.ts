import { expect, test } from 'vitest';

import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { LEASE_MS, underLock } from './lock.ts';
import { boundStore } from '#testing/bound-store.ts';

function installation() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const ids = createSeededIds(1);
  return { clock, store, ids };
}

const never = () => new Promise<never>(() => {});

test('two migrators work one after the other', async () => {
  const tools = installation();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const done = [
    underLock(tools, async () => {
      order.push('first begins');
      await first.promise;
      order.push('first ends');
    }),
  ];
  await tools.clock.advance(0);
  done.push(underLock(tools, async () => void order.push('second')));
  await tools.clock.advance(5_000);
  expect(order).toEqual(['first begins']);
  first.resolve();
  await done[0];
  await tools.clock.advance(1_000);
  await Promise.all(done);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});

test('after a crash the lock is free when the lease ends; a holder that was only paused fails to renew it', async () => {
  const tools = installation();
  const paused = Promise.withResolvers<void>();
  const zombie = underLock(tools, async (renew) => {
    await paused.promise;
    await renew();
  });
  zombie.catch(() => undefined);
  await tools.clock.advance(0);
  let took = false;
  void underLock(tools, () => {
    took = true;
    return never();
  });
  await tools.clock.advance(LEASE_MS);
  expect(took).toBe(false);
  await tools.clock.advance(10_000);
  expect(took).toBe(true);
  paused.resolve();
  await expect(zombie).rejects.toThrow('took the lock over');
});

test('renewing holds the lock for as long as the work takes; another migrator gives up with an error', async () => {
  const tools = installation();
  void underLock(tools, async (renew) => {
    for (;;) {
      await tools.clock.sleep(LEASE_MS / 2);
      await renew();
    }
  });
  await tools.clock.advance(0);
  const waiting = underLock(tools, () => Promise.resolve('worked')).catch((error: unknown) => error);
  await tools.clock.advance(3 * LEASE_MS);
  expect(await waiting).toMatchObject({ name: 'PortError', kind: 'unavailable' });
});

test.each([
  { kind: 'refused', taken: true },
  { kind: 'unknown', taken: false },
] as const)('work that failed as $kind frees the lock at once: $taken', async ({ kind, taken }) => {
  const tools = installation();
  await expect(underLock(tools, () => Promise.reject(new PortError(kind, 'failed')))).rejects.toThrow('failed');
  let took = false;
  void underLock(tools, () => {
    took = true;
    return never();
  });
  await tools.clock.advance(1_000);
  expect(took).toBe(taken);
});

test('a lost answer to taking the lock is read back: the lock is held', async () => {
  const tools = installation();
  let lost = 0;
  const lossy: TableStore = {
    ...boundStore(tools.store),
    compareAndSet: async (table, write) => {
      const outcome = await tools.store.compareAndSet(table, write);
      lost += 1;
      if (lost === 1) throw new PortError('unknown', 'timed out');
      return outcome;
    },
  };
  expect(await underLock({ ...tools, store: lossy }, () => Promise.resolve('worked'))).toBe('worked');
});
