import { randomBytes } from 'node:crypto';

import { PortError } from '#ports/errors.ts';
import type { Table } from '#ports/table.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import { CassandraClient, type CassandraConnection } from '#adapters/cassandra/client.ts';
import { createCassandraTableAdmin } from '#adapters/cassandra/table-admin.ts';

/** Below the limit of the hooks that drop keyspaces. */
const DROP_DEADLINE_MS = 60_000;

/** Creates a keyspace with these tables for one test file. Returns its name. */
export async function freshKeyspace(connection: CassandraConnection, tables: readonly Table[]): Promise<string> {
  const keyspace = `test_${randomBytes(8).toString('hex')}`;
  const admin = createCassandraTableAdmin({ ...connection, keyspace, replication: { simple: 1 } });
  await admin.ensureFoundation(INSTALLATION);
  await admin.ensureTables(tables, async () => {});
  await admin.close();
  return keyspace;
}

/**
 * Drops a keyspace that is no longer needed: every table takes some of a small server's memory. A busy server may need
 * longer than this waits; it goes on dropping all the same, so a missing answer is printed and fails no test.
 */
export async function dropKeyspace(connection: CassandraConnection, keyspace: string): Promise<void> {
  const client = new CassandraClient(connection);
  try {
    await client.define(`DROP KEYSPACE IF EXISTS ${keyspace}`, DROP_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    process.stderr.write(`keyspace ${keyspace} may not be dropped: ${error.message}\n`);
  } finally {
    await client.close();
  }
}
