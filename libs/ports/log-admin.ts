/** What a topic must be like. */
export interface TopicShape {
  readonly name: string;
  /** Never changes. */
  readonly partitions: number;
  /**
   * The least time that records are kept, read or not. Default: 14 days. A log without an admin may delete records that
   * every group has acknowledged.
   */
  readonly retentionDays?: number;
}

export interface TopicState {
  readonly name: string;
  readonly partitions: number;
  readonly replication: number;
}

/** Creates the topics of a Log. Additive only. All calls reject with `PortError`; each may be repeated unchanged. */
export interface LogAdmin {
  /**
   * Creates the missing topics, and resolves when every partition of all of them can be written and read. Returns the
   * names of those it created. Any number of processes may call it at once. Rejects `refused` when an existing topic
   * can't be used: it has another number of partitions (which would move keys), or accepts too small records.
   */
  ensureTopics(topics: readonly TopicShape[], options: { readonly replication: number }): Promise<readonly string[]>;
  /** Those of the topics that exist. */
  describe(topics: readonly TopicShape[]): Promise<readonly TopicState[]>;
  /**
   * Where the topics are not as they must be, one sentence each; none: nothing differs. `replication`: the least number
   * of copies. Changes nothing.
   */
  differences(topics: readonly TopicShape[], options: { readonly replication: number }): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const DEFAULT_RETENTION_DAYS = 14;
