import type { Network } from '#domain/network.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { createTopicConsumer } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { Workload } from '#consumer/workload.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { HeldReleases } from './held-releases.ts';
import { OldPosts } from './old-posts.ts';
import { LostWork } from './lost-work.ts';
import { ReconnectCounts } from './reconnect-counts.ts';
import { WorkspaceActor, type ActorOptions } from './actor.ts';
import { PostCache } from './post-cache.ts';
import { RecentDigests } from './recent-digests.ts';

export type WorkspaceOptions = Omit<ActorOptions, 'posts' | 'digests' | 'slices' | 'noteState'> &
  ConsumerPorts & {
    /** Of this process; left out: slices that nothing else shares. */
    readonly slices?: TimeSlices | undefined;
  };

export interface WorkspaceService extends Service, Workload {
  /** Variants that holds keep back, of the Workspaces that are owned here. */
  heldVariants(): number;
  /** Of the Workspaces that are owned here; every Network is named. */
  channelsNeedingReconnect(): ReadonlyMap<Network, number>;
}

/** The commands by which publishers report how an attempt ended. No request waits for their results. */
const OUTCOMES: ReadonlySet<Command['type']> = new Set([
  'PublishSucceeded',
  'PublishFailed',
  'PublishUnconfirmed',
  'PublishHeld',
  'FirstCommentEnded',
]);
/** How long such a command waits for more of its Workspace, at most (`Gathering.forMs`). */
export const OUTCOMES_GATHER_MS = 50;
/** By `roughBytesOf`: in memory a Post takes twice as much. Some 10,000 Posts, as many as may be due at one instant. */
const CACHED_POST_BYTES = 16 * 1024 * 1024;
/** Of 27 Posts a second, for the twelve minutes in which they count: about 6 MB. */
const RECENT_DIGESTS = 20_000;
/** Actors kept in memory; the least lately used go first. */
const MAX_ACTORS = 2_000;

/**
 * Owns the Workspaces of the partitions it is assigned: the only caller of decide, the only writer of Workspaces.
 */
export function createWorkspaceService(options: WorkspaceOptions): WorkspaceService {
  const posts = new PostCache(CACHED_POST_BYTES);
  const digests = new RecentDigests(RECENT_DIGESTS);
  const slices = options.slices ?? new TimeSlices(options);
  const actors = createBoundedMap<string, WorkspaceActor>(MAX_ACTORS, { onRemoved: (actor) => actor.forget() });

  const owned = (): readonly number[] => consumer.owned().map(({ partition }) => partition);
  const releases = new HeldReleases(options, owned);
  const oldPosts = new OldPosts(options, owned, (step) => actorOf(step.workspaceId).handle([step]));
  const reconnects = new ReconnectCounts(options, owned);
  const lostWork = new LostWork({ ...options, slices }, owned);

  const actorOf = (workspaceId: string): WorkspaceActor => {
    const known = actors.get(workspaceId);
    if (known !== undefined) return known;
    const noteState = (state: WorkspaceState): void => {
      releases.note(state);
      reconnects.note(state);
    };
    const actor = new WorkspaceActor(workspaceId, { ...options, posts, digests, slices, noteState });
    actors.set(workspaceId, actor);
    return actor;
  };

  /** Resolves when the slice of old Posts that is under way has been removed. */
  const stopRounds = (): Promise<void> => {
    lostWork.stop();
    reconnects.stop();
    releases.stop();
    return oldPosts.stop();
  };

  const consumer = createTopicConsumer(
    {
      name: 'workspace',
      topic: WORKSPACE_COMMANDS,
      maxBatch: 200,
      concurrency: 64,
      // One fsync for a command and its turn, where log and store are one.
      reads: 'appended',
      gathering: { types: OUTCOMES, forMs: OUTCOMES_GATHER_MS },
      handle: (workspaceId, commands, standing) => {
        for (const command of commands) assertOf(workspaceId, command);
        return actorOf(workspaceId).handle(commands, standing);
      },
      onOwnerChanged: (partitions) => {
        const changed = new Set(partitions.map(({ partition }) => partition));
        for (const workspaceId of [...actors.keys()]) if (changed.has(shardOf(workspaceId))) actors.delete(workspaceId);
        releases.ownersChanged(changed);
        reconnects.ownersChanged(changed);
        lostWork.ownersChanged(changed);
      },
      onStart: async () => {
        lostWork.start();
        oldPosts.start();
      },
      onDrained: stopRounds,
      onStop: () => {
        void stopRounds();
        actors.clear();
      },
    },
    options,
  );
  return { ...consumer, heldVariants: () => releases.waiting(), channelsNeedingReconnect: () => reconnects.counts() };
}

function assertOf(workspaceId: string, command: Command): void {
  if (command.workspaceId !== workspaceId)
    throw new Error(`a command for workspace ${command.workspaceId} came under the key ${workspaceId}`);
}
