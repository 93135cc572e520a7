import { describe } from 'vitest';

import { SUITE_TABLES, tableStoreSuite } from '#port-suites/table-store.ts';
import { dropKeyspace, freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { createCassandraTableStore } from './table-store.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  tableStoreSuite('table store', async () => {
    const keyspace = await freshKeyspace(cassandra.address!, SUITE_TABLES);
    let store = createCassandraTableStore({ ...cassandra.address!, keyspace });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = createCassandraTableStore({ ...cassandra.address!, keyspace });
        return store;
      },
      close: async () => {
        await store.close();
        await dropKeyspace(cassandra.address!, keyspace);
      },
    };
  });
});
