import type { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import type { StoredRecord } from '#ports/log.ts';
import type { Topic } from '#tables/declarations/topics.ts';

/**
 * Records of a topic that some group has not acknowledged, by partition in the order of the log: what another log must
 * hold so that every group goes on. All of them where no group reads. A group that a former release had counts too,
 * which only adds records that were handled before. Throws `PortError` `refused` when the copy can't be read.
 */
export function* unfinishedRecords(database: DatabaseSync, topic: Topic): Iterable<StoredRecord> {
  try {
    const stored = database.prepare('SELECT id, partitions FROM topics WHERE name = ?').get(topic.name);
    if (stored === undefined) return;
    if (Number(stored['partitions']) !== topic.partitions)
      throw new PortError(
        'refused',
        `${topic.name} has ${stored['partitions']} partitions in the backup, and ${topic.partitions} here`,
      );
    const from = database.prepare('SELECT min(next) AS next FROM group_offsets WHERE source = ?');
    const records = database.prepare(
      'SELECT offset, key, timestamp, value FROM records WHERE source = ? AND offset >= ? ORDER BY offset',
    );
    for (let partition = 0; partition < topic.partitions; partition++) {
      const source = Number(stored['id']) * 65_536 + partition;
      for (const row of records.iterate(source, Number(from.get(source)?.['next'] ?? 0)))
        yield {
          topic: topic.name,
          partition,
          offset: Number(row['offset']),
          key: String(row['key']),
          value: row['value'] as Uint8Array,
          timestamp: Number(row['timestamp']),
        };
    }
  } catch (error) {
    if (error instanceof PortError) throw error;
    throw new PortError('refused', `the log of the backup can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
