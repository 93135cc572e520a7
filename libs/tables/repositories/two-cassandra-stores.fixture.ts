import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import type { Table } from '#ports/table.ts';
import { dropKeyspace, freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import type { TwoStores } from './two-stores.fixture.ts';

/** With these tables, in a keyspace of their own. */
export async function twoCassandraStores(
  address: Parameters<typeof freshKeyspace>[0],
  tables: readonly Table[],
): Promise<TwoStores> {
  const keyspace = await freshKeyspace(address, tables);
  const connect = () => createCassandraTableStore({ ...address, keyspace });
  const stores = [connect(), connect()] as const;
  const close = async () => {
    await Promise.all(stores.map((store) => store.close()));
    await dropKeyspace(address, keyspace);
  };
  return { stores, close };
}
