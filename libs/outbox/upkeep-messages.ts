import type { Upkeep } from '#domain/channel/upkeep.ts';
import type { EndConnection } from '#messages/messages.ts';
import type { MessageEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
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

/** Has the tokens of a Channel that was disconnected ended. */
export function endMessage(message: EndConnection): MessageEffect {
  return { topic: CONNECTION_UPKEEP.name, key: message.channelId, message };
}

/** Has the tokens of a Channel ended at a later instant, because its Network could not be asked. */
export function endTimer(message: EndConnection, at: number): TimerEffect {
  const { workspaceId, channelId, connectionId, tries } = message;
  return {
    ...endMessage(message),
    shard: shardOf(workspaceId),
    timerId: `end ${channelId} ${connectionId ?? ''} ${tries}`,
    dueAt: at,
  };
}
