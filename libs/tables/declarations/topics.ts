import { partitionOf } from '#ports/log.ts';
import { perNetwork, type Network } from '#domain/network.ts';

export interface Topic {
  readonly name: string;
  /** Fixed for life: keys are placed by it. */
  readonly partitions: number;
  readonly doc: string;
  /** How long a cluster keeps records at least, and the embedded log those that nobody reads; 14 days when left out. */
  readonly retentionDays?: number;
}

export const WORKSPACE_COMMANDS: Topic = {
  name: 'workspace.commands.v1',
  partitions: 64,
  doc: 'Every change to a Workspace, keyed by it',
};
export const WORKSPACE_EVENTS: Topic = {
  name: 'workspace.events.v1',
  partitions: 64,
  doc: 'What became of Variants, keyed by Workspace',
};
/** Partition = scheduler shard = partition of the Workspace's commands. */
export const TIMERS: Topic = {
  name: 'timers.v1',
  partitions: 64,
  doc: 'Timers due within the look-ahead, by shard',
  retentionDays: 2,
};
export const WEBHOOK_DELIVERIES: Topic = {
  name: 'webhook.deliveries.v1',
  partitions: 64,
  doc: 'Deliveries, keyed by endpoint',
};
export const MEDIA_JOBS: Topic = {
  name: 'media.jobs.v1',
  partitions: 16,
  doc: 'Files to make ready, keyed by the Post they are for',
};
export const MEDIA_REMOVALS: Topic = {
  name: 'media.removals.v1',
  partitions: 16,
  doc: 'Assets whose files are to be deleted, keyed by asset',
};
export const METRICS_READINGS: Topic = {
  name: 'metrics.readings.v1',
  partitions: 16,
  doc: 'Readings of figures, keyed by Channel',
};
export const CONNECTION_UPKEEP: Topic = {
  name: 'connections.upkeep.v1',
  partitions: 16,
  doc: 'Upkeep of Connections, keyed by Channel',
};
export const DEAD_LETTERS: Topic = {
  name: 'dead-letters.v1',
  partitions: 8,
  doc: 'Records that could not be handled, keyed by source',
  retentionDays: 90,
};

/** Jobs of one Network, keyed by Channel. */
export const PUBLISH: Readonly<Record<Network, Topic>> = perNetwork((network) => ({
  name: `publish.${network}.v1`,
  partitions: 16,
  doc: `Attempts at ${network}, keyed by Channel`,
}));

export const TOPICS: readonly Topic[] = [
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
  TIMERS,
  WEBHOOK_DELIVERIES,
  MEDIA_JOBS,
  MEDIA_REMOVALS,
  METRICS_READINGS,
  CONNECTION_UPKEEP,
  DEAD_LETTERS,
  ...Object.values(PUBLISH),
];

/** Scheduler shards = partitions of Workspace commands. */
export const SHARDS = WORKSPACE_COMMANDS.partitions;

/** A Workspace's scheduler shard is the partition of its commands. */
export function shardOf(workspaceId: string): number {
  return partitionOf(workspaceId, SHARDS);
}
