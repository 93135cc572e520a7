import { counts, event, failure, observes, repeatedWarning, retried } from '../event.ts';
import { milliseconds, name, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram } from '../metric.ts';

const rebalances = counter('crier_rebalances_total', 'Rebalances of a consumer group in which this process took part', [
  'group',
]);

const storeDuration = histogram(
  'crier_store_request_duration_seconds',
  'Requests to the tables. outcome: ok, or how the store failed; unknown: it may have been done',
  [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  ['operation', 'outcome'],
);

export const ENGINE_EVENTS = {
  'store-request-ended': event({
    level: 'debug',
    isWritten: false,
    help: 'A request to the tables ended',
    facts: {
      operation: word(
        'read',
        'slice',
        'upsert',
        'insert',
        'write-together',
        'compare-and-set',
        'drop-partition',
        'partitions',
      ),
      outcome: word('ok', 'refused', 'unavailable', 'unknown'),
      durationMs: milliseconds,
    },
    feeds: [observes(storeDuration, 'durationMs')],
  }),
  'kafka-rebalanced': event({
    level: 'info',
    help: 'A rebalance of a consumer group ended',
    facts: { group: name, rebalance: number, revoked: number, assigned: number, partitions: number },
    feeds: [counts(rebalances)],
  }),
  'kafka-consumer-leave-failed': event({
    level: 'info',
    help: 'A Kafka consumer could not leave its group when it was closed; the group drops it after the session timeout',
    facts: { detail: text },
  }),
  'kafka-consumer-restarted': repeatedWarning({
    help: 'A Kafka consumer ended with an error; it gives up its partitions and a new one connects after the wait',
    facts: { group: name, detail: text, waitMs: milliseconds },
  }),
  'kafka-commit-failed': repeatedWarning({
    help: 'Offsets could not be committed to Kafka; they are committed again',
    facts: { detail: text, partitions: number },
  }),
  'kafka-connect-retried': repeatedWarning({
    help: 'A Kafka producer could not connect; it tries again after the wait',
    facts: { detail: text, waitMs: milliseconds },
  }),
  'certificates-renewed': event({
    level: 'info',
    help: 'Files of certificates have changed; new connections use them',
    facts: { engine: word('kafka', 'cassandra', 'admin', 'public') },
  }),
  'certificates-refused': event({
    level: 'warn',
    help: 'Files of certificates have changed and can not be used; new connections use what they held before',
    facts: { engine: word('kafka', 'cassandra', 'admin', 'public'), detail: text },
  }),
  'kafka-client-logged': repeatedWarning({
    help: 'The Kafka client library logged a warning or an error',
    facts: {
      severity: word('warn', 'error'),
      namespace: name,
      message: text,
      error: optional(text),
      broker: optional(text),
      groupId: optional(text),
    },
  }),
};

export const ENGINE_FAILURES = {
  'kafka-send-failed': retried('Kafka did not confirm records; the callers learn that their outcome is unknown', {
    records: number,
  }),
  'kafka-producer-disconnect-failed': failure('A Kafka producer could not be disconnected cleanly'),
  'log-offsets-write-failed': retried('Offsets of the embedded log could not be written; they are written again'),
  'log-read-failed': failure('The embedded log could not be read; it is read again', {
    topic: name,
    partition: number,
  }),
  'log-retention-failed': failure(
    'Expired records of the embedded log could not be deleted; the next run deletes them',
  ),
  'checkpoint-failed': failure(
    'Pages of the write-ahead log could not be copied into the database file; they are kept in the log and copied later',
  ),
  'engine-unavailable': retried('Kafka or Cassandra could not be used at start; it is tried again'),
  'row-body-conflict': failure(
    'A defect: a row was written again with another body. The first body is kept, and the work goes on',
    { table: name },
  ),
};

export const ENGINE_GAUGES = {
  storeRequestsInFlight: gauge('crier_store_requests_in_flight', 'Requests to the tables that are not answered yet'),
  schemaVersion: gauge('crier_schema_version', 'The version of tables and topics that this process works with'),
  dataFormat: gauge(
    'crier_data_format',
    'The format of rows and messages: that which this process knows, and that which the installation writes',
    ['kind'],
  ),
  dataFreeBytes: gauge(
    'crier_data_free_bytes',
    'Bytes that are free for this user on the disk of CRIER_DATA_DIR, where files under way stand in a cluster too',
  ),
  dataBytes: gauge(
    'crier_data_bytes',
    'Embedded: bytes of the database with its log, and of the stored files, which are counted anew after five minutes at the earliest',
    ['part'],
  ),
};
