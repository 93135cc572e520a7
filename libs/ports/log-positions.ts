import type { TopicPartition } from './log.ts';
import type { TopicShape } from './log-admin.ts';

/** What a partition holds: offsets from `start` up to, and without, `end`. */
export interface PartitionExtent extends TopicPartition {
  readonly start: number;
  readonly end: number;
}

/** The offset that a group takes up next. */
export interface GroupPosition extends TopicPartition {
  readonly next: number;
}

export interface GroupState {
  readonly group: string;
  /** Processes that read as this group now, or did until a session ago. */
  readonly members: number;
  /** Of partitions of which it acknowledged something. */
  readonly positions: readonly GroupPosition[];
}

/** How far a log and its groups are. All calls reject with `PortError` `unavailable`, and may be repeated. */
export interface LogPositions {
  extents(topics: readonly TopicShape[]): Promise<readonly PartitionExtent[]>;
  /** Groups of this installation that have members, or acknowledged records of these topics. */
  groups(topics: readonly TopicShape[]): Promise<readonly GroupState[]>;
  close(): Promise<void>;
}
