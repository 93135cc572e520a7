import type { TopicPartition } from '#ports/log.ts';

/** How far a reader of the log is behind. */
export interface Backlog {
  /** Of the owned partitions, in the log and not done, as far as this process knows. */
  readonly records: number;
  /** When the oldest of those that were taken was written; null: none waits. */
  readonly oldestAt: number | null;
}

/** What a reader of the log holds at this moment, for metrics and operators. */
export interface Workload {
  readonly name: string;
  /** Partitions that this process owns as far as it knows. */
  owned(): readonly TopicPartition[];
  /** Records taken and not yet done. */
  waiting(): number;
  /** Keys of the owned partitions whose records are held back. */
  heldBack(): number;
  behind(): Backlog;
}
