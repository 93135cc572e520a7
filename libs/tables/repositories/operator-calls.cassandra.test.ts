import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { OPERATOR_CALLS } from '../declarations/tables.ts';
import { operatorCalls } from './operator-calls.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  operatorCalls('Cassandra', twoCassandraStores(cassandra.address!, [OPERATOR_CALLS]));
});
