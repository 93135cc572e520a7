import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { RECENT_CHANGES } from '../declarations/tables.ts';
import { recentChangeRows } from './recent-changes.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  recentChangeRows('Cassandra', twoCassandraStores(cassandra.address!, [RECENT_CHANGES]));
});
