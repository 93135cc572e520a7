import { describe } from 'vitest';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { dropKeyspace, freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { credentialClaims } from './credential-claims.fixture.ts';
import { CREDENTIAL_OWNERS, CREDENTIALS } from '../declarations/tables.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  credentialClaims('Cassandra', async () => {
    const keyspace = await freshKeyspace(cassandra.address!, [CREDENTIALS, CREDENTIAL_OWNERS]);
    const connect = () => createCassandraTableStore({ ...cassandra.address!, keyspace });
    const stores = [connect(), connect()] as const;
    const close = async () => {
      await Promise.all(stores.map((store) => store.close()));
      await dropKeyspace(cassandra.address!, keyspace);
    };
    return { stores, close };
  });
});
