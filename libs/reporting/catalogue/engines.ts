import { counts, event, failure, repeatedWarning, retried } from '../event.ts';
import { milliseconds, name, number, optional, text, word } from '../fact.ts';
import { counter } from '../metric.ts';

const rebalances = counter('crier_rebalances_total', 'Rebalances of a consumer group in which this process took part', [
  'group',
]);

export const ENGINE_EVENTS = {
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
  'engine-unavailable': retried('Kafka or Cassandra could not be used at start; it is tried again'),
  'row-body-conflict': failure(
    'A defect: a row was written again with another body. The first body is kept, and the work goes on',
    { table: name },
  ),
};
