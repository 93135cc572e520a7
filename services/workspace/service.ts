import type { Command } from '#domain/workspace/commands.ts';
import { createTopicConsumer } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { Workload } from '#consumer/workload.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { WorkspaceActor, type ActorOptions } from './actor.ts';
import { PostCache } from './post-cache.ts';

export type WorkspaceOptions = Omit<ActorOptions, 'posts' | 'slices'> & ConsumerPorts;

const CACHED_POST_BYTES = 64 * 1024 * 1024;
/** Actors kept in memory; the least lately used go first. */
const MAX_ACTORS = 2_000;

/**
 * Owns the Workspaces of the partitions it is assigned: the only caller of decide, the only writer of Workspaces.
 */
export function createWorkspaceService(options: WorkspaceOptions): Service & Workload {
  const posts = new PostCache(CACHED_POST_BYTES);
  const slices = new TimeSlices(options.clock);
  const actors = createBoundedMap<string, WorkspaceActor>(MAX_ACTORS, { onRemoved: (actor) => actor.forget() });

  const actorOf = (workspaceId: string): WorkspaceActor => {
    const known = actors.get(workspaceId);
    if (known !== undefined) return known;
    const actor = new WorkspaceActor(workspaceId, { ...options, posts, slices });
    actors.set(workspaceId, actor);
    return actor;
  };

  return createTopicConsumer(
    {
      name: 'workspace',
      topic: WORKSPACE_COMMANDS,
      maxBatch: 200,
      concurrency: 64,
      handle: (workspaceId, commands) => {
        for (const command of commands) assertOf(workspaceId, command);
        return actorOf(workspaceId).handle(commands);
      },
      onOwnerChanged: (partitions) => {
        const changed = new Set(partitions.map(({ partition }) => partition));
        for (const workspaceId of [...actors.keys()]) if (changed.has(shardOf(workspaceId))) actors.delete(workspaceId);
      },
      onStop: () => actors.clear(),
    },
    options,
  );
}

function assertOf(workspaceId: string, command: Command): void {
  if (command.workspaceId !== workspaceId)
    throw new Error(`a command for workspace ${command.workspaceId} came under the key ${workspaceId}`);
}
