/** What a topic must be. */
export interface TopicShape {
  readonly name: string;
  /** Fixed for life. */
  readonly partitions: number;
  /**
   * How long records are kept at least, read or not; 14 days when left out. A log without an admin may let go of what
   * every group has done with.
   */
  readonly retentionDays?: number;
}

export interface TopicState {
  readonly name: string;
  readonly partitions: number;
  readonly replication: number;
}

/** Makes the topics of a Log. Additive only. All calls reject with `PortError`; every one may be repeated as it is. */
export interface LogAdmin {
  /**
   * Makes the topics that are missing, and resolves when every partition of all of them takes and gives records.
   * Returns the names of those it made. Any number of processes may call it at once. Rejects `refused` when a topic
   * exists that can't be used: another number of partitions (which would move keys), or records too small.
   */
  ensureTopics(topics: readonly TopicShape[], options: { readonly replication: number }): Promise<readonly string[]>;
  /** Those of the topics that exist. */
  describe(topics: readonly TopicShape[]): Promise<readonly TopicState[]>;
  close(): Promise<void>;
}

export const DEFAULT_RETENTION_DAYS = 14;
