import type { Readiness, StoredRecord, TopicPartition } from '#ports/log.ts';

/** Runs `run` once, later. The label names the step, for a scheduler that chooses the order. */
export type Schedule = (label: string, run: () => void) => void;

/** What a group needs of the log that stores its records. */
export interface GroupStorage {
  /** Up to `limit` records of the partition at or after offset `from`, in order; empty at its end. */
  read(source: TopicPartition, from: number, limit: number, reads: Readiness): readonly StoredRecord[];
  /** One after the partition's newest durable record. */
  end(source: TopicPartition): number;
  /**
   * Resolves once every record that was appended up to and including `offset` is durable or was taken back; null: that
   * is so.
   */
  settling(source: TopicPartition, offset: number): Promise<void> | null;
  /** The offset at which the group continues: one after the last durable acknowledgement, else the oldest record. */
  next(group: string, source: TopicPartition): number;
  /** Records that all records before `next` are done. */
  commit(group: string, source: TopicPartition, next: number): void;
}

export interface GroupOptions {
  readonly name: string;
  readonly storage: GroupStorage;
  readonly schedule: Schedule;
  readonly partitionsOf: (topic: string) => number;
  /** The most records delivered in one call. */
  readonly batchRecords: number;
}
