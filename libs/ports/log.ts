import { PortError } from './errors.ts';

/** Said beside a record's value, for programs that pass it on. Few and short: they are kept as the value is. */
export type RecordHeaders = Readonly<Record<string, string>>;

/** A record to append. `partition` overrides the one its key hashes to (shard-addressed topics). */
export interface LogRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly partition?: number;
  readonly headers?: RecordHeaders;
}

export interface StoredRecord {
  readonly topic: string;
  readonly partition: number;
  /** Position in the partition; increases, with gaps allowed. */
  readonly offset: number;
  readonly key: string;
  readonly value: Uint8Array;
  /** Left out: it has none. */
  readonly headers?: RecordHeaders;
  /** When the log stored it, milliseconds since the epoch. Not an input to rules. */
  readonly timestamp: number;
}

export interface Position {
  readonly partition: number;
  readonly offset: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/**
 * How early a subscriber has records. `durable`: once no crash can take them back. `appended`: as soon as they have
 * their place in the log, which may be before they are durable; the log may take such records back
 * (`Subscription.isDurable`).
 */
export type Readiness = 'durable' | 'appended';

export interface Subscriber {
  readonly group: string;
  readonly topics: readonly string[];
  /** Default: `durable`. A log whose appends are durable as soon as they can be read does not distinguish the two. */
  readonly reads?: Readiness;
  /**
   * These partitions are assigned to this member until they are revoked; another member may still take them for its
   * own. Records follow from the last acknowledged one.
   */
  onAssigned?(partitions: readonly TopicPartition[]): void;
  /** These partitions are no longer ours. Work in flight may finish; acknowledging it is allowed and may be ignored. */
  onRevoked?(partitions: readonly TopicPartition[]): void;
  /**
   * Records of one partition, in offset order. Must return at once and pass the work to a mailbox: waiting here stops
   * every partition. A record may come again (redelivery, overlap of two owners).
   */
  onRecords(source: TopicPartition, records: readonly StoredRecord[]): void;
}

/** Whether a member takes part in its group, as far as its process knows. */
export interface GroupMembership {
  /**
   * `joining`: it never had its partitions. `joined`: it has those that fall to it, which may be none. `away`: it had
   * them, and lost touch with the log.
   */
  readonly state: 'joining' | 'joined' | 'away';
  /** Why it is not joined, as the log last said; null: it is, or the log has said nothing yet. */
  readonly detail: string | null;
  /** Since its loop last read, was told that there is nothing to read, or tried to reach the log, in milliseconds. */
  readonly idleMs: number;
}

export interface Subscription {
  /**
   * Everything up to and including `offset` is done: a new owner starts after it. Never moves back; durable soon, not
   * at once.
   */
  ack(source: TopicPartition, offset: number): void;
  /**
   * For who reads what is appended: resolves once it is decided, with true when all records of the partition that were
   * delivered since it was assigned, up to and including `offset`, are durable. Nothing may be told of a record before,
   * nothing may be done on its account that leaves the process, and it may not be acknowledged.
   *
   * False: the partition was revoked meanwhile. That is also how the log takes records back while the process lives:
   * their partition is revoked before the appends reject and before anything that followed from the records goes on,
   * and is assigned again. A write that follows from a record is therefore safe if the partition is still assigned when
   * the write begins, and if it can not become durable before the record: so it is where log and table store are one.
   */
  isDurable(source: TopicPartition, offset: number): Promise<boolean>;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Costs nothing: no engine is asked. */
  membership(): GroupMembership;
  /**
   * Records of the member's partitions that are in the log and were not delivered yet, as far as this process knows the
   * ends of the partitions without asking.
   */
  undelivered(): number;
  /** Stops delivery at once, makes acknowledgements durable, leaves the group. Idempotent. */
  close(): Promise<void>;
}

export interface AppendOptions {
  /** When the call gives up with `unknown`. Default: the adapter's own deadline, if it has one. */
  readonly deadlineMs?: number;
}

/** One group as the reader of one topic. */
export interface GroupReading {
  readonly group: string;
  readonly topic: string;
}

/** How far a group is in one partition. */
export interface GroupProgress extends GroupReading, TopicPartition {
  /** Every record before this offset is done; the oldest kept, while none is. */
  readonly next: number;
  /** One after the newest record. */
  readonly end: number;
  /** The member that has the partition, by the name of its client; null: nobody has it. */
  readonly owner: string | null;
}

/**
 * An ordered, partitioned, durable log. At least once; order within a partition; ownership may overlap.
 */
export interface Log {
  /**
   * Appends all records, resolving once every one is durable. Calls from one process for one partition keep their
   * order. Rejects with `PortError`: `refused` (nothing was stored: too large, unknown topic), `unavailable` (nothing
   * was stored: closed, disk full) or `unknown` (may or may not be stored; the deadline passed or the log is
   * unreachable).
   */
  append(topic: string, records: readonly LogRecord[], options?: AppendOptions): Promise<readonly Position[]>;
  /**
   * Resolves before the first callback, also while the log is unreachable: it then keeps trying in the background.
   * `refused`: unknown topic.
   */
  subscribe(subscriber: Subscriber): Promise<Subscription>;
  /**
   * How far groups are in every partition of topics, as the log itself knows it. For operators: it may take a second,
   * and an acknowledgement may be that much ahead. Rejects with `PortError`.
   */
  progress(readings: readonly GroupReading[]): Promise<readonly GroupProgress[]>;
  /** Number of partitions of a topic of `libs/tables/declarations/topics.ts`. */
  partitions(topic: string): number;
  /** Rejects when the log can't be reached or can't store. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The number of partitions of one of a log's topics. Throws `PortError` `refused` when the log has no such topic. */
export function partitionsOf(topics: ReadonlyMap<string, { readonly partitions: number }>, topic: string): number {
  const found = topics.get(topic);
  if (!found) throw new PortError('refused', `there is no topic ${topic}`);
  return found.partitions;
}

/** The largest record value in bytes, in every adapter. */
export const MAX_RECORD_BYTES = 1_000_000;

/**
 * FNV-1a over UTF-16 code units (keys are ASCII ids): a key has the same partition in every adapter and release, for
 * ever.
 */
export function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  }
  // FNV's low bits mix poorly for keys that differ in their last characters only; the high half is folded in.
  hash ^= hash >>> 15;
  return (hash >>> 0) % partitions;
}

/**
 * The partition of each record, in order. Throws `refused` when one is too large or names a partition that doesn't
 * exist.
 */
export function placeRecords(topic: string, partitions: number, records: readonly LogRecord[]): readonly number[] {
  return records.map((record) => {
    if (record.value.byteLength > MAX_RECORD_BYTES) {
      throw new PortError(
        'refused',
        `${topic}: a record of ${record.value.byteLength} bytes is over the limit of ${MAX_RECORD_BYTES}`,
      );
    }
    const partition = record.partition ?? partitionOf(record.key, partitions);
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
      throw new PortError('refused', `${topic} has partitions 0 to ${partitions - 1}, not ${partition}`);
    }
    return partition;
  });
}
