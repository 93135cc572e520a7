import type { Post, Variant } from '#domain/post/post.ts';
import { PortError } from '#ports/errors.ts';
import { partitionOf, type GroupReading, type Log } from '#ports/log.ts';
import { READERS } from '#tables/declarations/readers.ts';
import {
  MEDIA_JOBS,
  PUBLISH,
  shardOf,
  TIMERS,
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
} from '#tables/declarations/topics.ts';

/** A partition that records about a Variant go through, and how far its reader is. */
export interface LogPlace extends GroupReading {
  readonly partition: number;
  /** Records that are in it and not done. */
  readonly behind: number;
  /** null: nobody reads it. */
  readonly owner: string | null;
}

export type LogPlaces = readonly LogPlace[];

/** Text: why the log could not be asked. */
export async function readLogPlaces(
  log: Pick<Log, 'progress'>,
  { id, workspaceId }: Pick<Post, 'id' | 'workspaceId'>,
  variants: readonly Variant[],
): Promise<LogPlaces | string> {
  const shard = shardOf(workspaceId);
  const places = [
    { topic: WORKSPACE_COMMANDS.name, partition: shard },
    { topic: TIMERS.name, partition: shard },
    { topic: WORKSPACE_EVENTS.name, partition: partitionOf(workspaceId, WORKSPACE_EVENTS.partitions) },
    { topic: MEDIA_JOBS.name, partition: partitionOf(id, MEDIA_JOBS.partitions) },
    ...variants.map(({ network, channelId }) => ({
      topic: PUBLISH[network].name,
      partition: partitionOf(channelId, PUBLISH[network].partitions),
    })),
  ];
  const byName = new Map(places.map((place) => [nameOf(place), place]));
  const topics = new Set(places.map(({ topic }) => topic));
  try {
    const known = await log.progress(READERS.filter(({ topic }) => topics.has(topic)));
    return known
      .filter((progress) => byName.has(nameOf(progress)))
      .map(({ group, topic, partition, next, end, owner }) => ({
        ...{ group, topic, partition },
        behind: Math.max(0, end - next),
        owner,
      }));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return error.message;
  }
}

const nameOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`;
