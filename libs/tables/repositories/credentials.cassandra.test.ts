import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { CREDENTIALS, CREDENTIAL_OWNERS } from '../declarations/tables.ts';
import { credentialClaims } from './credential-claims.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  credentialClaims('Cassandra', twoCassandraStores(cassandra.address!, [CREDENTIALS, CREDENTIAL_OWNERS]));
});
