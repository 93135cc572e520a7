import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { SUBSCRIPTIONS } from '../declarations/tables.ts';
import { subscriptionRows } from './subscriptions.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  subscriptionRows('Cassandra', twoCassandraStores(cassandra.address!, [SUBSCRIPTIONS]));
});
