import { inject } from 'vitest';

import type { CassandraAddress, KafkaAddress } from '../engines.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    kafka: SharedEngine<KafkaAddress>;
    cassandra: SharedEngine<CassandraAddress>;
  }
}

/** An engine all suites of this run share, or why there is none. */
export type SharedEngine<Address> =
  { readonly address: Address; readonly missing: null } | { readonly address: null; readonly missing: string };

/**
 * The Kafka of this test run; suites keep apart by topic prefix. `describe.skipIf(kafka.missing !== null)`.
 * Only for files that the project "cluster" of vitest.config.ts runs.
 */
export function sharedKafka(): SharedEngine<KafkaAddress> {
  return inject('kafka');
}

/**
 * The Cassandra of this test run; suites keep apart by keyspace. Its commit log is periodic: who kills starts one of
 * its own.
 */
export function sharedCassandra(): SharedEngine<CassandraAddress> {
  return inject('cassandra');
}
