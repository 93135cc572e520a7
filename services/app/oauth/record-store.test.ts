import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { boundStore } from '#testing/bound-store.ts';
import { RecordStore, type NewEntry } from './record-store.ts';

const DAY_SECONDS = 86_400;
const ENTRY: NewEntry = { payload: {}, lifeMs: 30 * DAY_SECONDS * 1000, approvalId: 'a', access: null };

test('what replaces a record outlives it, removed or shortened, so that no copy of the store that missed it shows it again', async () => {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const ttls: (number | undefined)[] = [];
  const records = new RecordStore({
    store: {
      ...boundStore(store),
      compareAndSet: (table, write) => (ttls.push(write.next.ttlSeconds), store.compareAndSet(table, write)),
    },
    secretBox: createSecretBox({ secret: 'a-master-secret-of-tests-only-123' }),
    clock,
    ids: createSeededIds(1),
  });
  await records.save('RefreshToken', 'removed', ENTRY);
  await records.save('Client', 'shortened', ENTRY);
  await clock.advance(DAY_SECONDS * 1000);
  ttls.length = 0;
  expect(await records.remove('RefreshToken', 'removed')).toBe(true);
  expect(await records.find('RefreshToken', 'removed')).toBeNull();
  await records.save('Client', 'shortened', { ...ENTRY, lifeMs: 1_000 });
  // A first try of `save`, which finds the row there, comes before the last one.
  const [removal, , shortening] = ttls;
  for (const ttl of [removal, shortening]) expect(ttl).toBeGreaterThanOrEqual(29 * DAY_SECONDS);
});

test('of two replicas that use a record up at once, one is the first, and the other learns of it', async () => {
  const clock = createMemoryClock();
  const tables = new MemoryTables();
  const replicas = [1, 2].map(
    (seed) =>
      new RecordStore({
        store: createMemoryTableStore({ clock, tables }),
        secretBox: createSecretBox({ secret: 'a-master-secret-of-tests-only-123' }),
        clock,
        ids: createSeededIds(seed),
      }),
  );
  await replicas[0]!.save('AuthorizationCode', 'a', ENTRY);
  const outcomes = await Promise.all(replicas.map((records) => records.consume('AuthorizationCode', 'a')));
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['again', 'first']);
  expect(outcomes).toContainEqual({ outcome: 'again', firstAt: clock.now() });
});
