import type { DatabaseSync } from 'node:sqlite';
import { withDeadline } from '#concurrency/deadline.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import {
  partitionsOf,
  placeRecords,
  type AppendOptions,
  type GroupProgress,
  type GroupReading,
  type Log,
  type LogRecord,
  type Position,
  type Readiness,
  type StoredRecord,
  type Subscriber,
  type TopicPartition,
} from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Topic } from '#tables/declarations/topics.ts';
import { ConsumerGroup } from '../in-process/consumer-group.ts';
import { groupProgress } from '../in-process/group-progress.ts';
import type { GroupStorage, Schedule } from '../in-process/group-options.ts';
import { sourceKey } from '../in-process/source-key.ts';
import type { GroupMember } from '../in-process/group-member.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { LogOffsets } from './log-offsets.ts';
import { LogRecords, type PartitionSource } from './log-records.ts';
import { retain, type RetentionOptions } from './log-retention.ts';
import { LogTail } from './log-tail.ts';
import { UnsyncedRecords, type AppendedRecord } from './unsynced-records.ts';

export interface SqliteLogOptions {
  /** The log's own database file. One process at a time may have it open. */
  readonly path: string;
  readonly topics: readonly Topic[];
  readonly clock: Clock;
  readonly reporter?: Reporter;
  /** Records kept in memory for subscribers that keep up, in bytes over all partitions. Default: 16 MB. */
  readonly tailBytes?: number;
  readonly retention?: Partial<RetentionOptions>;
  /** Between two rounds of deleting. Default: 30 s. */
  readonly retentionEveryMs?: number;
}

export interface SharedDatabase {
  readonly database: DatabaseSync;
  /** The group commit of `database`. */
  readonly commits: GroupCommit;
}

/** Records that have their offsets, for a work of the group commit of the log's database. */
export interface PlacedRecords {
  readonly positions: readonly Position[];
  /** Within the work. Who reads what is appended has them from then on. */
  insert(): void;
  /** `onSettled` of the work. */
  settle(isDurable: boolean): void;
}

/**
 * A log whose owner may have it delete at once the records that no group needs, which it otherwise does in the
 * background.
 */
export interface SqliteLog extends Log {
  /** Resolves with the number of records deleted. */
  retain(): Promise<number>;
  /**
   * As `append`, within a work of the caller's own. The work has to be enqueued in the same step. Throws `PortError`
   * `refused` or `unavailable`.
   */
  place(topic: string, records: readonly LogRecord[]): PlacedRecords;
}

const RETENTION: RetentionOptions = { keepRecords: 16, unreadAgeMs: null, unreadRecords: 100_000 };
const BATCH_RECORDS = 500;
const READ_AGAIN_MS = 1_000;

/**
 * Opens (or creates) the embedded log. Throws `unavailable` when the file can't be opened, `refused` when its topics
 * differ.
 */
export function createSqliteLog(options: SqliteLogOptions): SqliteLog {
  return openSqliteLog(openDatabase(options.path), options);
}

/**
 * As `createSqliteLog`, in a database that holds other tables too: appends share the fsync of all that `commits` writes
 * in the same turn of the event loop. The caller owns both and closes them after the log.
 */
export function createSharedSqliteLog(shared: SharedDatabase, options: Omit<SqliteLogOptions, 'path'>): SqliteLog {
  return new OpenSqliteLog(shared, options, async () => {});
}

/** As `createSqliteLog`, on an open database that is closed with the log. */
export function openSqliteLog(database: DatabaseSync, options: Omit<SqliteLogOptions, 'path'>): SqliteLog {
  try {
    // Offsets are counted in memory, so a second process must not be able to open the file.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const commits = new GroupCommit(database);
    return new OpenSqliteLog({ database, commits }, options, async () => {
      await commits.close();
      closeDatabase(database);
    });
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/**
 * Modes: open -> closing (appends and acknowledgements in flight are finished) -> closed. Subscribers are served from
 * memory straight after the commit that made a record durable, or from the disk when they are further behind. Those
 * that read what is appended are served while that commit's transaction is open, so that what they write on its account
 * is in it: one fsync for a command and its turn.
 */
class OpenSqliteLog implements SqliteLog, GroupStorage {
  readonly #options: Omit<SqliteLogOptions, 'path'>;
  readonly #commits: GroupCommit;
  readonly #release: () => Promise<void>;
  readonly #records: LogRecords;
  readonly #offsets: LogOffsets;
  readonly #tail: LogTail;
  readonly #unsynced = new UnsyncedRecords();
  readonly #topics: ReadonlyMap<string, Topic>;
  readonly #sources: ReadonlyMap<string, PartitionSource>;
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #written = new Set<PartitionSource>();
  /**
   * Deliveries that must not wait for the next turn of the event loop, which may begin with the next commit's fsync.
   */
  #deliveriesNow: (() => void)[] | null = null;
  readonly #timers = new Set<Cancel>();
  #closing: Promise<void> | null = null;

  constructor(
    { database, commits }: SharedDatabase,
    options: Omit<SqliteLogOptions, 'path'>,
    release: () => Promise<void>,
  ) {
    this.#options = options;
    this.#commits = commits;
    this.#release = release;
    this.#records = new LogRecords(database, options.topics);
    this.#offsets = new LogOffsets(this.#records, this.#commits, options.clock, options.reporter);
    this.#tail = new LogTail(options.tailBytes ?? 16_000_000);
    this.#topics = new Map(options.topics.map((topic) => [topic.name, topic]));
    this.#sources = new Map(this.#records.sources.map((source) => [sourceKey(source), source]));
    commits.listen({
      afterWorks: () => this.#deliverNow(this.#unsynced.takeNew(), 'appended'),
      afterFailure: () => this.#takeBack(),
    });
    this.#retainLater();
  }

  async append(topic: string, records: readonly LogRecord[], options?: AppendOptions): Promise<readonly Position[]> {
    const placed = this.place(topic, records);
    if (records.length === 0) return [];
    // A turn may stand on these records and be written behind them: they fail together.
    const order = { carries: true, onSettled: placed.settle };
    const positions = this.#commits.enqueue(() => placed.insert(), order).then(() => placed.positions);
    return options?.deadlineMs === undefined ? positions : this.#within(options.deadlineMs, positions);
  }

  place(topic: string, records: readonly LogRecord[]): PlacedRecords {
    this.#assertOpen();
    const placement = placeRecords(topic, this.partitions(topic), records);
    const timestamp = this.#options.clock.now();
    const wanted = records.map((record, index): AppendedRecord => {
      const source = this.#source({ topic, partition: placement[index] ?? 0 });
      return {
        source,
        record: {
          topic,
          partition: source.partition,
          offset: source.nextOffset++,
          key: record.key,
          value: Buffer.from(record.value),
          ...(record.headers && { headers: record.headers }),
          timestamp,
        },
      };
    });
    let isHandedOut = false;
    return {
      positions: wanted.map(({ source, record }) => ({ partition: source.partition, offset: record.offset })),
      insert: () => {
        for (const { source, record } of wanted) this.#records.insert(source, record);
        // A work whose neighbour failed is carried out twice.
        if (!isHandedOut) this.#unsynced.push(wanted);
        isHandedOut = true;
      },
      settle: (isDurable) => {
        for (const { source, record } of wanted) {
          if (isDurable && isHandedOut) this.#stored(source, record);
          else this.#unsynced.drop(source, record);
        }
      },
    };
  }

  async subscribe(subscriber: Subscriber): Promise<GroupMember> {
    this.#assertOpen();
    for (const topic of subscriber.topics) this.partitions(topic);
    this.#offsets.enrol(
      subscriber.group,
      this.#records.sources.filter(({ topic }) => subscriber.topics.includes(topic)),
    );
    return this.#group(subscriber.group).join(subscriber, 'main');
  }

  async progress(readings: readonly GroupReading[]): Promise<readonly GroupProgress[]> {
    this.#assertOpen();
    const storage = {
      // Records that every group has done are deleted after a while: a group that has done none begins after those.
      next: (group: string, source: TopicPartition) =>
        Math.max(this.next(group, source), this.#records.oldest(this.#source(source))),
      end: (source: TopicPartition) => this.end(source),
    };
    return groupProgress(readings, {
      storage,
      groups: this.#groups,
      partitionsOf: (topic) => this.partitions(topic),
    });
  }

  partitions(topic: string): number {
    return partitionsOf(this.#topics, topic);
  }

  async check(): Promise<void> {
    this.#assertOpen();
    await this.#commits.enqueue(() => this.#records.touch(this.#options.clock.now()));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async retain(): Promise<number> {
    this.#assertOpen();
    const log = {
      records: this.#records,
      offsets: this.#offsets,
      commits: this.#commits,
      clock: this.#options.clock,
      topics: this.#topics,
    };
    return retain(log, { ...RETENTION, ...this.#options.retention }, (topic) => this.#groupsReading(topic));
  }

  read(at: TopicPartition, from: number, limit: number, reads: Readiness): readonly StoredRecord[] {
    const source = this.#source(at);
    if (from >= source.end) return reads === 'appended' ? this.#unsynced.read(source, from, limit) : [];
    const recent = this.#tail.read(source.id, from, limit);
    if (recent) return recent;
    try {
      // What a commit wrote counts once all that it carried is in the tail.
      return this.#records.read(source, from, limit).filter(({ offset }) => offset < source.end);
    } catch (error) {
      this.#options.reporter?.failure('log-read-failed', error, { topic: source.topic, partition: source.partition });
      this.#later(READ_AGAIN_MS, () => this.#wake(source, 'durable'));
      return [];
    }
  }

  end(source: TopicPartition): number {
    return this.#source(source).end;
  }

  settling(source: TopicPartition, offset: number): Promise<void> | null {
    return this.#unsynced.settling(this.#source(source), offset);
  }

  next(group: string, source: TopicPartition): number {
    return this.#offsets.next(group, this.#source(source));
  }

  commit(group: string, source: TopicPartition, next: number): void {
    this.#offsets.commit(group, this.#source(source), next);
  }

  readonly #schedule: Schedule = (_label, run) => {
    if (this.#deliveriesNow) this.#deliveriesNow.push(run);
    else setImmediate(run);
  };

  /** The works of one commit are settled one after the other; what the first of them queues runs after the last. */
  #stored(source: PartitionSource, record: StoredRecord): void {
    this.#tail.push(source.id, record);
    source.end = record.offset + 1;
    this.#unsynced.drop(source, record);
    if (this.#written.size === 0) queueMicrotask(() => this.#deliverWritten());
    this.#written.add(source);
  }

  #deliverWritten(): void {
    const written = [...this.#written];
    this.#written.clear();
    this.#deliverNow(written, 'durable');
  }

  #deliverNow(sources: Iterable<PartitionSource>, reads: Readiness): void {
    const deliveries: (() => void)[] = [];
    this.#deliveriesNow = deliveries;
    for (const source of sources) this.#wake(source, reads);
    this.#deliveriesNow = null;
    for (const deliver of deliveries) deliver();
  }

  #takeBack(): void {
    for (const [source, first] of this.#unsynced.takeAll())
      for (const group of this.#groups.values()) group.takeBack(source, first.offset);
  }

  #wake(source: PartitionSource, reads: Readiness): void {
    for (const group of this.#groups.values()) group.wake(source, reads);
  }

  #group(name: string): ConsumerGroup {
    const present = this.#groups.get(name);
    if (present) return present;
    const group = new ConsumerGroup({
      name,
      storage: this,
      schedule: this.#schedule,
      partitionsOf: (topic) => this.partitions(topic),
      batchRecords: BATCH_RECORDS,
    });
    this.#groups.set(name, group);
    return group;
  }

  #groupsReading(topic: string): ReadonlySet<string> {
    const groups = [...this.#groups.values()].filter(({ members }) =>
      members.some(({ subscriber }) => subscriber.topics.includes(topic)),
    );
    return new Set(groups.map(({ options }) => options.name));
  }

  #source(at: TopicPartition): PartitionSource {
    const source = this.#sources.get(sourceKey(at));
    if (!source) throw new PortError('refused', `there is no partition ${sourceKey(at)}`);
    return source;
  }

  #within(deadlineMs: number, stored: Promise<readonly Position[]>): Promise<readonly Position[]> {
    return withDeadline(stored, {
      clock: { after: (delayMs, run) => this.#later(delayMs, run) },
      deadlineMs,
      onLate: () => {
        throw new PortError('unknown', `not durable within ${deadlineMs} ms`);
      },
    });
  }

  #retainLater(): void {
    this.#later(this.#options.retentionEveryMs ?? 30_000, () => {
      this.retain()
        .catch((error: unknown) => this.#closing ?? this.#options.reporter?.failure('log-retention-failed', error))
        .finally(() => this.#closing ?? this.#retainLater());
    });
  }

  #later(delayMs: number, run: () => void): Cancel {
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(stop);
      run();
    });
    const stop = () => {
      this.#timers.delete(stop);
      cancel();
    };
    this.#timers.add(stop);
    return stop;
  }

  #assertOpen(): void {
    if (this.#closing) throw new PortError('unavailable', 'the log is closed');
  }

  async #close(): Promise<void> {
    for (const group of this.#groups.values()) {
      for (const member of [...group.members]) await member.close();
    }
    for (const stop of this.#timers) stop();
    await this.#offsets.write();
    this.#offsets.stop();
    await this.#release();
  }
}
