import type { TopicPartition } from '#ports/log.ts';

/** What a reader of the log holds at this moment, for metrics and operators. */
export interface Workload {
  readonly name: string;
  /** Partitions that this process owns as far as it knows. */
  owned(): readonly TopicPartition[];
  /** Records taken and not yet done. */
  waiting(): number;
  /** Keys of the owned partitions whose records are held back. */
  heldBack(): number;
}
