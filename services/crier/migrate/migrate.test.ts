import { expect, test } from 'vitest';

import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { LogAdmin } from '#ports/log-admin.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import { recordSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
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
