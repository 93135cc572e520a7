import { describe } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { DEAD_LETTER_ROWS, DEAD_LETTER_VALUES } from '../declarations/tables.ts';
import { deadLetters } from './dead-letters.fixture.ts';
import { twoCassandraStores } from './two-cassandra-stores.fixture.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  deadLetters('Cassandra', twoCassandraStores(cassandra.address!, [DEAD_LETTER_ROWS, DEAD_LETTER_VALUES]));
});
