import type { Codec, DeadLetter } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import { MAX_RECORD_BYTES, type Log, type StoredRecord } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { DEAD_LETTERS } from '#tables/declarations/topics.ts';

export interface DeadLetterOptions {
  readonly log: Log;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** The fields of a dead letter beside the record must fit into one record with it. */
const MAX_VALUE_BYTES = MAX_RECORD_BYTES - 16 * 1024;
const MAX_ERROR_CHARACTERS = 2_000;

/**
 * Copies a record that can not be handled to the dead letters; of the very largest, the beginning. Rejects with
 * `PortError`.
 */
export async function writeDeadLetter(
  options: DeadLetterOptions,
  record: Omit<StoredRecord, 'timestamp'>,
  error: string,
): Promise<void> {
  const { topic, partition, offset, key, value } = record;
  const kept = value.subarray(0, MAX_VALUE_BYTES);
  const cut = kept.length < value.length ? ` (cut: the record has ${value.length} bytes)` : '';
  const letter: DeadLetter = {
    type: 'DeadLetter',
    topic,
    partition,
    offset,
    key,
    value: kept,
    error: error.slice(0, MAX_ERROR_CHARACTERS) + cut,
    at: options.clock.now(),
  };
  await options.log.append(DEAD_LETTERS.name, [{ key: `${topic}/${partition}`, value: options.codec.encode(letter) }]);
  options.reporter.report('record-dead-lettered', { topic, partition, offset, error });
}
