import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import type { RecordHeaders, StoredRecord, TopicPartition } from '#ports/log.ts';
import type { Topic } from '#tables/declarations/topics.ts';

/** Limits the records that one catch-up read loads into memory, and how long it blocks the event loop. */
const MAX_READ_BYTES = 1_000_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, partitions INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS records (
    source INTEGER NOT NULL, offset INTEGER NOT NULL, key TEXT NOT NULL, timestamp INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (source, offset)
  );
  CREATE TABLE IF NOT EXISTS group_offsets (
    name TEXT NOT NULL, source INTEGER NOT NULL, next INTEGER NOT NULL, written INTEGER NOT NULL,
    PRIMARY KEY (name, source)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checks (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
`;

/**
 * One partition. Offsets are given when records are appended; a process gives none twice, not even after a commit that
 * failed.
 */
export interface PartitionSource extends TopicPartition {
  readonly id: number;
  /** Of the record that is appended next. */
  nextOffset: number;
  /** One after the newest record that is durable. */
  end: number;
}

export interface GroupOffset {
  readonly group: string;
  readonly source: number;
  readonly next: number;
  /** When it was last written. */
  readonly written: number;
}

type Statement = 'insert' | 'read' | 'writeOffset' | 'readOffsets' | 'oldest' | 'behind' | 'delete' | 'since' | 'check';

/**
 * The tables of the embedded log. Writes must run inside a group commit; reads see committed records only, outside of
 * one.
 */
export class LogRecords {
  readonly sources: readonly PartitionSource[];
  readonly #statements: Readonly<Record<Statement, StatementSync>>;

  /**
   * Creates the missing tables and topics. Throws `refused` when a topic is stored with another number of partitions:
   * keys would move.
   */
  constructor(database: DatabaseSync, topics: readonly Topic[]) {
    database.exec(SCHEMA);
    addHeaders(database);
    this.sources = topics.flatMap((topic) => openTopic(database, topic));
    this.#statements = {
      insert: database.prepare(
        'INSERT INTO records (source, offset, key, timestamp, value, headers) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      read: database.prepare(
        'SELECT offset, key, timestamp, value, headers FROM records WHERE source = ? AND offset >= ? ORDER BY offset LIMIT ?',
      ),
      writeOffset: database.prepare(
        'INSERT OR REPLACE INTO group_offsets (name, source, next, written) VALUES (?, ?, ?, ?)',
      ),
      readOffsets: database.prepare('SELECT name, source, next, written FROM group_offsets'),
      oldest: database.prepare('SELECT min(offset) AS offset FROM records WHERE source = ?'),
      behind: database.prepare('SELECT offset FROM records WHERE source = ? ORDER BY offset DESC LIMIT 1 OFFSET ?'),
      delete: database.prepare(
        'DELETE FROM records WHERE source = ?1 AND offset IN (SELECT offset FROM records WHERE source = ?1 AND offset < ?2 ORDER BY offset LIMIT ?3)',
      ),
      since: database.prepare('SELECT offset FROM records WHERE source = ? AND timestamp >= ? ORDER BY offset LIMIT 1'),
      check: database.prepare('INSERT OR REPLACE INTO checks (id, at) VALUES (1, ?)'),
    };
  }

  insert(source: PartitionSource, { offset, key, value, headers, timestamp }: StoredRecord): void {
    const written = headers === undefined ? null : JSON.stringify(headers);
    this.#statements.insert.run(source.id, offset, key, timestamp, value, written);
  }

  read(source: PartitionSource, from: number, limit: number): readonly StoredRecord[] {
    const { topic, partition } = source;
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (const row of this.#statements.read.iterate(source.id, from, limit)) {
      const value = row['value'] as Uint8Array;
      records.push({
        topic,
        partition,
        offset: Number(row['offset']),
        key: String(row['key']),
        value,
        ...(row['headers'] !== null && { headers: JSON.parse(String(row['headers'])) as RecordHeaders }),
        timestamp: Number(row['timestamp']),
      });
      bytes += value.byteLength;
      if (bytes >= MAX_READ_BYTES) break;
    }
    return records;
  }

  groupOffsets(): readonly GroupOffset[] {
    return this.#statements.readOffsets.all().map((row) => ({
      group: String(row['name']),
      source: Number(row['source']),
      next: Number(row['next']),
      written: Number(row['written']),
    }));
  }

  writeGroupOffset(offset: GroupOffset): void {
    this.#statements.writeOffset.run(offset.group, offset.source, offset.next, offset.written);
  }

  /** The oldest offset kept; when there is none, the end. */
  oldest(source: PartitionSource): number {
    const offset = this.#statements.oldest.get(source.id)?.['offset'];
    return offset === null || offset === undefined ? source.end : Number(offset);
  }

  /** The offset of the record that has `count` younger ones in its partition, or null when there are fewer. */
  offsetBehind(source: PartitionSource, count: number): number | null {
    const row = this.#statements.behind.get(source.id, count);
    return row ? Number(row['offset']) : null;
  }

  /** The oldest offset stamped at or after `instant`; when there is none, the end. */
  offsetSince(source: PartitionSource, instant: number): number {
    const row = this.#statements.since.get(source.id, instant);
    return row ? Number(row['offset']) : source.end;
  }

  /** Deletes up to `limit` records before offset `until`, oldest first; returns how many. */
  deleteBefore(source: PartitionSource, until: number, limit: number): number {
    return Number(this.#statements.delete.run(source.id, until, limit).changes);
  }

  /** Proves that the file accepts writes. */
  touch(now: number): void {
    this.#statements.check.run(now);
  }
}

/** Files of releases that had no headers lack the column; those releases pass over it where it is there. */
function addHeaders(database: DatabaseSync): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('records')").all();
  if (columns.every(({ name }) => name !== 'headers')) database.exec('ALTER TABLE records ADD COLUMN headers TEXT');
}

function openTopic(database: DatabaseSync, topic: Topic): readonly PartitionSource[] {
  database.prepare('INSERT OR IGNORE INTO topics (name, partitions) VALUES (?, ?)').run(topic.name, topic.partitions);
  const stored = database.prepare('SELECT id, partitions FROM topics WHERE name = ?').get(topic.name);
  if (Number(stored?.['partitions']) !== topic.partitions) {
    throw new PortError(
      'refused',
      `${topic.name} is stored with ${stored?.['partitions']} partitions and can't have ${topic.partitions}`,
    );
  }
  const newest = database.prepare('SELECT max(offset) AS offset FROM records WHERE source = ?');
  return Array.from({ length: topic.partitions }, (_, partition): PartitionSource => {
    const id = Number(stored?.['id']) * 65_536 + partition;
    const last = newest.get(id)?.['offset'];
    // The newest record is never deleted, so the next offset can't be one of a record that was durable.
    const end = last === null || last === undefined ? 0 : Number(last) + 1;
    return { topic: topic.name, partition, id, nextOffset: end, end };
  });
}
