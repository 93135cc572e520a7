import type { StoredRecord, TopicPartition } from '#ports/log.ts';

/** Runs `run` later, once; the label says what it is, for a scheduler that chooses the order. */
export type Schedule = (label: string, run: () => void) => void;

/** What a group needs of the log that stores its records. */
export interface GroupStorage {
  /** Up to `limit` records of the partition at or after offset `from`, in order; empty at its end. */
  read(source: TopicPartition, from: number, limit: number): readonly StoredRecord[];
  /** Offset the group goes on from: one after the last durable acknowledgement, else the oldest record. */
  next(group: string, source: TopicPartition): number;
  /** Everything before `next` is done. */
  commit(group: string, source: TopicPartition, next: number): void;
}

export interface GroupOptions {
  readonly name: string;
  readonly storage: GroupStorage;
  readonly schedule: Schedule;
  readonly partitionsOf: (topic: string) => number;
  /** Most records handed over in one call. */
  readonly batchRecords: number;
}
