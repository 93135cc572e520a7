import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';

import { createCassandraTableAdmin } from '#adapters/cassandra/table-admin.ts';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createKafkaLogAdmin } from '#adapters/kafka/log-admin.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import { readSchemaVersion, recordSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { AVRO_SCHEMAS, POSTS, TABLES } from '#tables/declarations/tables.ts';
import { SHARDS, TOPICS } from '#tables/declarations/topics.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

const cassandra = sharedCassandra();
const kafka = sharedKafka();

describe.skipIf(cassandra.missing !== null || kafka.missing !== null)('migrate', { timeout: 300_000 }, () => {
  const closers: { close(): Promise<void> }[] = [];
  const keyspaces: string[] = [];
  afterAll(async () => {
    await Promise.all(closers.map((closer) => closer.close()));
    for (const keyspace of keyspaces) await dropKeyspace(cassandra.address!, keyspace);
  });

  /** One migrator: connections of its own to an installation named `name`. */
  const migrator = (name: string): MigrateOptions => {
    const connection = { ...cassandra.address!, keyspace: name };
    const store = createCassandraTableStore(connection);
    const tableAdmin = createCassandraTableAdmin({ ...connection, replication: { byDataCenter: { datacenter1: 1 } } });
    const logAdmin = createKafkaLogAdmin({
      access: { brokers: kafka.address!.brokers, clientId: 'migrate' },
      topicPrefix: `${name}.`,
    });
    closers.push(store, tableAdmin, logAdmin);
    return {
      store,
      tableAdmin,
      logAdmin,
      topicReplication: 1,
      clock: createSystemClock(),
      ids: createSystemIds(),
      storeSchemas,
    };
  };
  const storeSchemas = (store: TableStore) =>
    store.insert(AVRO_SCHEMAS, [{ partition: ['built-in'], clustering: [1], body: new Uint8Array([1]), format: 1 }]);
  const freshName = () => {
    const name = `migrate_${randomBytes(6).toString('hex')}`;
    keyspaces.push(name);
    return name;
  };

  it('a dry run lists every step and changes nothing', async () => {
    const options = migrator(freshName());
    const first = await migrate({ ...options, dryRun: true });
    expect(first.steps[0]).toMatch(/^CREATE KEYSPACE/);
    expect(first.steps.filter((step) => step.startsWith('CREATE TABLE'))).toHaveLength(TABLES.length);
    expect(first.steps.filter((step) => step.startsWith('topic '))).toHaveLength(TOPICS.length);
    expect(await migrate({ ...options, dryRun: true })).toEqual(first);
    expect(await options.logAdmin.describe(TOPICS)).toEqual([]);
    await expect(options.store.check()).rejects.toMatchObject({ kind: 'refused' });
  });

  it('two at once make one installation out of nothing, and a third finds nothing to do', async () => {
    const name = freshName();
    const [one, other, third] = [migrator(name), migrator(name), migrator(name)];
    const [a, b] = await Promise.all([migrate(one), migrate(other)]);
    const made = [...a.steps, ...b.steps].filter((step) => step.startsWith('CREATE TABLE'));
    // The lock's own table, made before there is a lock, may be made by both: it is the same table.
    expect(new Set(made).size).toBe(TABLES.length);
    expect(made.length).toBeLessThanOrEqual(TABLES.length + 1);
    expect(await migrate(third)).toEqual({ steps: [], schemaVersion: SCHEMA_VERSION });
    expect(await migrate({ ...third, dryRun: true })).toEqual({ steps: [], schemaVersion: SCHEMA_VERSION });

    expect(await readSchemaVersion(third.store)).toBe(SCHEMA_VERSION);
    expect(await third.logAdmin.describe(TOPICS)).toEqual(
      TOPICS.map(({ name: topic, partitions }) => ({ name: topic, partitions, replication: 1 })),
    );
    expect(await third.store.read(AVRO_SCHEMAS, ['built-in'], [1])).not.toBeNull();
    const claims = await Promise.all(
      Array.from({ length: SHARDS }, (_, shard) => createShards(third.store).claim(shard, `claim-${shard}`)),
    );
    expect(claims.every((claim) => claim?.epoch === 1)).toBe(true);
    await third.store.check();
  });

  it('an interrupted one is finished by the next, and later additions are made', async () => {
    const options = migrator(freshName());
    const half = TABLES.slice(0, 3);
    const broken = {
      ...options,
      tables: half,
      storeSchemas: () => Promise.reject(new Error('killed')),
      topics: TOPICS.slice(0, 1),
    };
    await expect(migrate(broken)).rejects.toThrow('killed');
    const { steps } = await migrate(options);
    expect(steps.filter((step) => step.startsWith('CREATE TABLE')).length).toBeGreaterThanOrEqual(TABLES.length - 4);
    expect(await readSchemaVersion(options.store)).toBe(SCHEMA_VERSION);
  });

  it('a later release adds a table and a column, once; the release before it finds nothing to do, and says so', async () => {
    const options = migrator(freshName());
    await migrate(options);
    const planted: Table = { ...POSTS, name: 'planted' };
    const column = { name: 'planted', type: 'text' } as const;
    const tables = [...TABLES.map((table) => (table === POSTS ? { ...POSTS, added: [column] } : table)), planted];
    const alter = expect.stringMatching(/^ALTER TABLE \S+ ADD "?planted"? text$/);
    const create = expect.stringMatching(/^CREATE TABLE IF NOT EXISTS \S+planted/);
    expect((await migrate({ ...options, tables, dryRun: true })).steps).toEqual([alter, create]);
    expect((await migrate({ ...options, tables })).steps).toEqual([alter, create]);
    expect((await migrate({ ...options, tables })).steps).toEqual([]);
    expect((await migrate(options)).steps).toEqual([]);

    await recordSchemaVersion(options.store, SCHEMA_VERSION + 1, 'of a later release');
    expect(await migrate(options)).toEqual({ steps: [], schemaVersion: SCHEMA_VERSION + 1 });
    await recordSchemaVersion(options.store, SCHEMA_VERSION + 2, 'of one after that');
    await expect(migrate(options)).rejects.toThrow(`this release reads up to ${SCHEMA_VERSION + 1}`);
  });

  it('a table that exists with another key is refused by name', async () => {
    const options = migrator(freshName());
    const other: Table = { ...POSTS, partitionKey: POSTS.partitionKey.toReversed() };
    await options.tableAdmin.ensureFoundation(other);
    const refused = options.tableAdmin.ensureTables([POSTS], () => Promise.resolve());
    await expect(refused).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
    await expect(refused).rejects.toThrow(/posts exists, but without "partition_key 0 workspace_id text/);
  });
});
