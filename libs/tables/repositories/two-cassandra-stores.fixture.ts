import { afterAll } from 'vitest';
import { CassandraClient } from '#adapters/cassandra/client.ts';
import { tableName } from '#adapters/cassandra/cql.ts';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import type { Table } from '#ports/table.ts';
import { dropKeyspace, freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const TRUNCATED_WITHIN_MS = 60_000;

/**
 * For the tests of a file, one after the other: opens these tables without a row, in a keyspace that the file keeps to
 * its end. To empty a table is less work for a server than to drop it and to make it again.
 */
export function twoCassandraStores(
  address: Parameters<typeof freshKeyspace>[0],
  tables: readonly Table[],
): () => Promise<TwoStores> {
  let keyspace: string | null = null;
  afterAll(async () => {
    if (keyspace !== null) await dropKeyspace(address, keyspace);
  });
  return async () => {
    if (keyspace === null) keyspace = await freshKeyspace(address, tables);
    else await emptied(address, keyspace, tables);
    const space = keyspace;
    const connect = () => createCassandraTableStore({ ...address, keyspace: space });
    const stores = [connect(), connect()] as const;
    return { stores, close: async () => void (await Promise.all(stores.map((store) => store.close()))) };
  };
}

async function emptied(
  address: Parameters<typeof freshKeyspace>[0],
  keyspace: string,
  tables: readonly Table[],
): Promise<void> {
  const client = new CassandraClient(address);
  try {
    for (const table of tables) await client.define(`TRUNCATE ${tableName(keyspace, table)}`, TRUNCATED_WITHIN_MS);
  } finally {
    await client.close();
  }
}
