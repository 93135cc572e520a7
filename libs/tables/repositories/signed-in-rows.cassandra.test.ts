import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { SESSIONS, SIGN_IN_LINKS } from '../declarations/tables.ts';
import { signedInRows } from './signed-in-rows.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  signedInRows('Cassandra', twoCassandraStores(cassandra.address!, [SESSIONS, SIGN_IN_LINKS]));
});
