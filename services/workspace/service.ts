import type { Message } from '#messages/messages.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { partitionOf, type TopicPartition } from '#ports/log.ts';
import { KeyedConsumer } from '#consumer/keyed-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { Workload } from '#consumer/workload.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { WorkspaceActor, type ActorOptions } from './actor.ts';
import { PostCache } from './post-cache.ts';

export type WorkspaceOptions = Omit<ActorOptions, 'posts' | 'slices'> & ConsumerPorts;

const GROUP = 'workspace';
const CACHED_POST_BYTES = 64 * 1024 * 1024;
/** Actors kept in memory; the least lately used go first. */
const MAX_ACTORS = 2_000;

/**
 * Owns the Workspaces of the partitions it is assigned: the only caller of decide, the only writer of Workspaces.
 */
export function createWorkspaceService(parts: WorkspaceOptions): Service & Workload {
  const posts = new PostCache(CACHED_POST_BYTES);
  const slices = new TimeSlices(parts.clock);
  const actors = new Map<string, WorkspaceActor>();

  const actorOf = (workspaceId: string): WorkspaceActor => {
    const known = actors.get(workspaceId);
    const actor = known ?? new WorkspaceActor(workspaceId, { ...parts, posts, slices });
    actors.delete(workspaceId);
    actors.set(workspaceId, actor);
    if (actors.size > MAX_ACTORS) {
      const [oldest, evicted] = actors.entries().next().value!;
      evicted.forget();
      actors.delete(oldest);
    }
    return actor;
  };

  const forget = (partitions: readonly TopicPartition[]): void => {
    const lost = new Set(partitions.map(({ partition }) => partition));
    for (const [workspaceId, actor] of actors) {
      if (!lost.has(partitionOf(workspaceId, WORKSPACE_COMMANDS.partitions))) continue;
      actor.forget();
      actors.delete(workspaceId);
    }
  };

  const consumer = new KeyedConsumer(
    {
      name: 'workspace',
      group: GROUP,
      topics: [WORKSPACE_COMMANDS.name],
      maxBatch: 200,
      concurrency: 64,
      maxWaiting: 5_000,
      handle: (workspaceId, messages) =>
        actorOf(workspaceId).handle(messages.map((message) => commandOf(message, workspaceId))),
      onAssigned: forget,
      onRevoked: forget,
    },
    parts,
  );
  return {
    name: consumer.name,
    start: () => consumer.start(),
    drain: () => consumer.drain(),
    stop: async () => {
      for (const actor of actors.values()) actor.forget();
      actors.clear();
      await consumer.stop();
    },
    trouble: () => consumer.trouble(),
    owned: () => consumer.owned(),
    waiting: () => consumer.waiting(),
    heldBack: () => consumer.heldBack(),
  };
}

const NOT_COMMANDS: ReadonlySet<string> = new Set([
  ...[
    'VariantPublished',
    'VariantFailed',
    'PublishVariant',
    'ReadMetrics',
    'KeepConnection',
    'PrepareMedia',
    'RemoveFiles',
  ],
  ...['DeliverEvent', 'TimerSet', 'DeadLetter'],
]);

function commandOf(message: Message, workspaceId: string): Command {
  if (NOT_COMMANDS.has(message.type)) throw new Error(`${message.type} is no command`);
  const command = message as Command;
  if (command.workspaceId !== workspaceId)
    throw new Error(`a command for workspace ${command.workspaceId} came under the key ${workspaceId}`);
  return command;
}
