import type { Codec, DeadLetter, DecodeResult } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import { MAX_RECORD_BYTES, type Log, type StoredRecord } from '#ports/log.ts';
import { MAX_KEY_TEXT_BYTES } from '#ports/table-store.ts';
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
const MAX_KEY_CHARACTERS = 1_000;

/**
 * Whether another program appended a record whose key or value the store does not take. None of our records is so. Were
 * its key to be parked, that would be refused, and the record would hold up its partition for ever; so it counts as
 * malformed. Null: it can be handled.
 */
export function unfitFor(key: string, value: Uint8Array): Extract<DecodeResult, { ok: false }> | null {
  if (value.length > MAX_RECORD_BYTES)
    return { ok: false, why: 'malformed', detail: `over the limit of ${MAX_RECORD_BYTES} bytes` };
  const isKey = key !== '' && !key.includes('\0') && key.isWellFormed() && Buffer.byteLength(key) <= MAX_KEY_TEXT_BYTES;
  return isKey ? null : { ok: false, why: 'malformed', detail: 'its key is empty, too long, or no text' };
}

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
    key: key.slice(0, MAX_KEY_CHARACTERS),
    value: kept,
    error: error.slice(0, MAX_ERROR_CHARACTERS) + cut,
    at: options.clock.now(),
  };
  await options.log.append(DEAD_LETTERS.name, [{ key: `${topic}/${partition}`, value: options.codec.encode(letter) }]);
  options.reporter.report('record-dead-lettered', { topic, partition, offset, error });
}
