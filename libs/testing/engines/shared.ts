import { inject } from 'vitest';

import type { CassandraAddress, KafkaAddress } from '../engines.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    kafka: SharedEngine<KafkaAddress>;
    cassandra: SharedEngine<CassandraAddress>;
  }
}

/** An engine that all suites of this run share, or the reason why there is none. */
export type SharedEngine<Address> =
  { readonly address: Address; readonly missing: null } | { readonly address: null; readonly missing: string };

/**
 * The Kafka of this test run, where each suite has a topic prefix of its own. `describe.skipIf(kafka.missing !==
 * null)`. Only for files that the project "cluster" of vitest.config.ts runs.
 */
export function sharedKafka(): SharedEngine<KafkaAddress> {
  return inject('kafka');
}

/**
 * The Cassandra of this test run, where each suite has a keyspace of its own. Its commit log is periodic: a test that
 * kills Cassandra starts its own.
 */
export function sharedCassandra(): SharedEngine<CassandraAddress> {
  return inject('cassandra');
}
