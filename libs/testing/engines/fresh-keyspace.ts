import { randomBytes } from 'node:crypto';

import type { Table } from '#ports/table.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import { CassandraClient, type CassandraConnection } from '#adapters/cassandra/client.ts';
import { createCassandraTableAdmin } from '#adapters/cassandra/table-admin.ts';

/** Creates a keyspace with these tables for one test file. Returns its name. */
export async function freshKeyspace(connection: CassandraConnection, tables: readonly Table[]): Promise<string> {
  const keyspace = `test_${randomBytes(8).toString('hex')}`;
  const admin = createCassandraTableAdmin({ ...connection, keyspace, replication: { simple: 1 } });
  await admin.ensureFoundation(INSTALLATION);
  await admin.ensureTables(tables, async () => {});
  await admin.close();
  return keyspace;
}

/** Drops a keyspace that is no longer needed: every table takes some of a small server's memory. */
export async function dropKeyspace(connection: CassandraConnection, keyspace: string): Promise<void> {
  const client = new CassandraClient(connection);
  await client.define(`DROP KEYSPACE IF EXISTS ${keyspace}`, 60_000);
  await client.close();
}
