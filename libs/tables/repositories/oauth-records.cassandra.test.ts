import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { OAUTH_RECORDS } from '../declarations/tables.ts';
import { oauthRecords } from './oauth-records.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  oauthRecords('Cassandra', twoCassandraStores(cassandra.address!, [OAUTH_RECORDS]));
});
