import { counts, event, failure, repeatedWarning, retried } from '../event.ts';
import { id, name, number, optional, text, word } from '../fact.ts';
import { counter, gauge } from '../metric.ts';

const deadLetters = counter(
  'crier_dead_letters_total',
  'Records that can not be read or carried out, copied to dead-letters.v1',
  ['topic'],
);
const parked = counter(
  'crier_keys_parked_total',
  'Keys parked because a record of theirs can not be handled. cause vanished_owners: three processes in a row ended ' +
    'while they handled the record',
  ['topic', 'cause'],
);
const unparked = counter('crier_keys_unparked_total', 'Parked keys whose records are all handled or skipped', [
  'topic',
]);
const skipped = counter('crier_records_skipped_total', 'Records of parked keys that an operator skipped', ['topic']);
const ownersVanished = counter(
  'crier_owners_vanished_total',
  'Partitions whose last owner ended without releasing them: it crashed, was killed or lost touch with the log',
  ['group'],
);
const mailboxFull = counter(
  'crier_mailbox_full_total',
  'Times a partition was paused (backpressure) because too many of its records waited',
  ['topic'],
);

const source = { topic: name, partition: number };

export const CONSUMER_EVENTS = {
  'record-dead-lettered': event({
    level: 'error',
    help: 'A record that can not be read or carried out was copied to dead-letters.v1',
    facts: { ...source, offset: number, error: text },
    feeds: [counts(deadLetters)],
  }),
  'key-parked': event({
    level: 'error',
    help: 'A record of a key can not be handled: the records of the key are held back until an operator retries or skips',
    facts: { ...source, key: id, cause: word('failing', 'vanished_owners'), error: text },
    feeds: [counts(parked)],
  }),
  'key-unparked': event({
    level: 'info',
    help: 'The held records of a parked key are handled or skipped; its new records are handled at once again',
    facts: { ...source, key: id },
    feeds: [counts(unparked)],
  }),
  'owner-vanished': repeatedWarning({
    help: 'The last owner of a partition ended without releasing it; its successor marks what it handles for 15 s',
    facts: { group: name, ...source, suspects: number },
    feeds: [counts(ownersVanished)],
  }),
  'record-skipped': event({
    level: 'warn',
    help: 'A record of a parked key was skipped, as an operator asked',
    facts: { ...source, key: id, offset: number },
    feeds: [counts(skipped)],
  }),
  'mailbox-full': repeatedWarning({
    help: 'A partition was paused (backpressure) because too many of its records wait, or are done behind one that waits; it is resumed at half',
    facts: { ...source, waiting: number, unacknowledged: number },
    feeds: [counts(mailboxFull)],
  }),
};

export const CONSUMER_FAILURES = {
  'handling-retried': retried('A record could not be handled because an engine or a tool failed; it is handled again', {
    consumer: name,
    key: optional(id),
    failures: number,
  }),
  'handling-failed': failure('A record was handled with an unexpected error; after some retries its key is parked', {
    consumer: name,
    key: id,
    failures: number,
  }),
  'key-lane-failed': failure('A defect: a key lane ended with an unexpected error, and its key stands still', {
    consumer: name,
    topic: name,
    key: id,
  }),
  'parked-keys-read-failed': retried('The parked keys of a partition could not be read; they are read again', {
    consumer: name,
    topic: name,
    partition: optional(number),
  }),
  'handling-marks-write-failed': retried('The handling marks of a partition could not be written', {
    group: name,
    topic: name,
    failures: optional(number),
  }),
};

export const CONSUMER_GAUGES = {
  recordsWaiting: gauge('crier_records_waiting', 'Records taken from the log and not handled yet', ['consumer']),
  parkedKeys: gauge('crier_parked_keys', 'Keys of the owned partitions that are parked', ['consumer']),
  logBehindRecords: gauge(
    'crier_log_behind_records',
    'Records of the owned partitions that are not done, as far as this process knows the ends of the partitions: in a cluster, from its last fetch',
    ['consumer'],
  ),
  logBehindSeconds: gauge(
    'crier_log_behind_seconds',
    'Age of the oldest record that was taken from the log and is not done; 0: none waits',
    ['consumer'],
  ),
  partitionsOwned: gauge('crier_partitions_owned', 'Partitions assigned to this process', ['consumer']),
};
