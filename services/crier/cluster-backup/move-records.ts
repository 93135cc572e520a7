import type { SchemaIdTranslation } from '#codec/schema-ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log, LogRecord, StoredRecord } from '#ports/log.ts';
import { TOPICS, type Topic } from '#tables/declarations/topics.ts';
import { withPatience } from './move-rows.ts';
import type { Progress } from './progress.ts';

export interface MoveRecordsOptions {
  /** Of a topic, in the order of each partition: see `unfinishedRecords`. */
  readonly unfinished: (topic: Topic) => Iterable<StoredRecord>;
  readonly log: Pick<Log, 'append'>;
  readonly translate: SchemaIdTranslation;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly progress: Progress;
}

const CHUNK_RECORDS = 1_000;
const CHUNK_BYTES = 2_000_000;

/**
 * Appends what no group has finished, in the order of each partition, and so of each key: topics have the same
 * partitions in every log. A repeat appends all of it again, which receivers take as records that come twice. Returns
 * how many. Rejects with `PortError`.
 */
export async function moveRecords({
  unfinished,
  log,
  translate,
  clock,
  progress,
}: MoveRecordsOptions): Promise<number> {
  let moved = 0;
  for (const { name, ...topic } of TOPICS) {
    for (const records of chunksOf(unfinished({ name, ...topic }))) {
      const appended = records.map(({ key, value, partition }): LogRecord => ({
        key,
        value: translate(value),
        partition,
      }));
      // One after the other: a piece of unknown end is appended again before the next one.
      await withPatience(clock, () => log.append(name, appended));
      moved += records.length;
      progress(`${name}: ${moved} records`);
    }
  }
  return moved;
}

function* chunksOf(records: Iterable<StoredRecord>): Iterable<readonly StoredRecord[]> {
  let chunk: StoredRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    chunk.push(record);
    bytes += record.value.length;
    if (chunk.length < CHUNK_RECORDS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}
