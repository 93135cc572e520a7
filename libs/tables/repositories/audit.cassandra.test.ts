import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { AUDIT, POST_DAYS } from '../declarations/tables.ts';
import { auditRows } from './audit.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  auditRows('Cassandra', twoCassandraStores(cassandra.address!, [AUDIT, POST_DAYS]));
});
