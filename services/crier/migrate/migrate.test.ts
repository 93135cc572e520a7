import { expect, test } from 'vitest';

import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { LogAdmin } from '#ports/log-admin.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import { recordSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { fileRecord, listParkedKeys, readParked, writeParkedKey } from '#tables/repositories/parking.ts';
import { migrate } from './migrate.ts';

/** Engines that have every table and topic. */
function migrated() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const tableAdmin: TableAdmin = {
    plan: async () => [],
    ensureFoundation: async () => [],
    ensureTables: async () => [],
    differences: async () => [],
    close: async () => {},
  };
  const logAdmin: LogAdmin = {
    ensureTopics: async () => [],
    describe: async (topics) => topics.map(({ name, partitions }) => ({ name, partitions, replication: 1 })),
    differences: async () => [],
    close: async () => {},
  };
  return { store, tableAdmin, logAdmin, topicReplication: 1, clock, ids: createSeededIds(1) };
}

test('a dry run tells the version that a migration would leave', async () => {
  const options = migrated();
  const steps = [`schema version ${SCHEMA_VERSION}`];
  expect(await migrate({ ...options, dryRun: true })).toEqual({ steps, schemaVersion: SCHEMA_VERSION });
  await migrate(options);
  expect(await migrate({ ...options, dryRun: true })).toEqual({ steps: [], schemaVersion: SCHEMA_VERSION });
});

test('a dry run beside a later release tells its version, and is refused where a migration is', async () => {
  const options = migrated();
  await recordSchemaVersion(options.store, SCHEMA_VERSION + 1, 'of a later release');
  expect(await migrate({ ...options, dryRun: true })).toEqual({ steps: [], schemaVersion: SCHEMA_VERSION + 1 });
  await recordSchemaVersion(options.store, SCHEMA_VERSION + 2, 'of one after that');
  for (const dryRun of [true, false])
    await expect(migrate({ ...options, dryRun })).rejects.toThrow(`this release reads up to ${SCHEMA_VERSION + 1}`);
});

test('beside new topics, what is held back is filed anew in front of what they will bring; beside the old ones it stays', async () => {
  const options = migrated();
  const at = { topic: 'publish.x.v1', partition: 3, key: 'c' };
  const flag = { ...at, episode: 'e', wish: 'none' as const, drainedTo: 990, error: 'x', parkedAt: 1, held: 2 };
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  await writeParkedKey(options.store, at, { version: 0, flag, token: 't' });
  for (const offset of [990, 991, 997]) await fileRecord(options.store, flag, { offset, value: bytes(`at ${offset}`) });
  const withEnd = (end: number) => ({
    ...options,
    positions: { extents: async () => [{ topic: at.topic, partition: at.partition, start: 0, end }] },
  });
  await migrate(options);
  expect((await migrate(withEnd(998))).steps).toEqual([]);
  expect(await listParkedKeys(options.store, at.topic, at.partition)).toMatchObject([{ episode: 'e', drainedTo: 990 }]);

  const steps = ['parked keys filed anew before the records of an empty log: 1'];
  expect((await migrate({ ...withEnd(0), dryRun: true })).steps).toEqual(steps);
  expect((await migrate(withEnd(0))).steps).toEqual(steps);
  expect((await migrate(withEnd(0))).steps).toEqual([]);
  const [parked] = await listParkedKeys(options.store, at.topic, at.partition);
  await fileRecord(options.store, parked!, { offset: 0, value: bytes('of the new log') });
  const left = await readParked(options.store, parked!, 10);
  expect(left.map(({ value }) => new TextDecoder().decode(value))).toEqual(['at 991', 'at 997', 'of the new log']);
});
