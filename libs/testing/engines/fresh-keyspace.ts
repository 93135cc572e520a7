import { randomBytes } from 'node:crypto';

import type { Table } from '#ports/table-store.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import { CassandraClient, type CassandraConnection } from '#adapters/cassandra/client.ts';
import { createCassandraTableAdmin } from '#adapters/cassandra/table-admin.ts';

/** For tests: a keyspace of its own with these tables. Returns its name. */
export async function freshKeyspace(connection: CassandraConnection, tables: readonly Table[]): Promise<string> {
  const keyspace = `test_${randomBytes(8).toString('hex')}`;
  const admin = createCassandraTableAdmin({ ...connection, keyspace, replication: { simple: 1 } });
  await admin.ensureFoundation(INSTALLATION);
  await admin.ensureTables(tables, async () => {});
  await admin.close();
  return keyspace;
}

/** A keyspace no one needs any more: every table takes some of a small server's memory. */
export async function dropKeyspace(connection: CassandraConnection, keyspace: string): Promise<void> {
  const client = new CassandraClient(connection);
  await client.define(`DROP KEYSPACE IF EXISTS ${keyspace}`, 60_000);
  await client.close();
}
