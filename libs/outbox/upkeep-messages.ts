import type { Upkeep } from '#domain/channel/upkeep.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { CONNECTION_UPKEEP, shardOf } from '#tables/declarations/topics.ts';

/** Has a Channel's Connection looked after at an instant. */
export function upkeepTimer(upkeep: Upkeep, at: number): TimerEffect {
  const message = { ...upkeep, type: 'KeepConnection' } as const;
  return {
    shard: shardOf(upkeep.workspaceId),
    timerId: `upkeep ${upkeep.channelId}`,
    dueAt: at,
    topic: CONNECTION_UPKEEP.name,
    key: upkeep.channelId,
    message,
  };
}
