import type { Effect } from '#domain/workspace/effects.ts';
import type { CopyPicture } from '#messages/messages.ts';
import type { MessageEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
import { CHANNEL_PICTURES, shardOf } from '#tables/declarations/topics.ts';

export type PictureEffect = Extract<Effect, { kind: 'copy-picture' | 'remove-picture' }>;

/** Has the picture of a Channel copied, or a copy of it deleted. */
export function pictureMessage(workspaceId: string, effect: PictureEffect): MessageEffect {
  const { channelId } = effect;
  const way = { topic: CHANNEL_PICTURES.name, key: channelId };
  if (effect.kind === 'remove-picture')
    return { ...way, message: { type: 'RemovePicture', workspaceId, channelId, blob: effect.blob } };
  const { connectedAt, askedAt, url } = effect;
  return { ...way, message: { type: 'CopyPicture', workspaceId, channelId, connectedAt, askedAt, url, tries: 0 } };
}

/** Has a picture that could not be fetched copied at a later instant. */
export function pictureTimer(message: CopyPicture, at: number): TimerEffect {
  const { workspaceId, channelId, askedAt, tries } = message;
  return {
    shard: shardOf(workspaceId),
    timerId: `picture ${channelId} ${askedAt} ${tries}`,
    dueAt: at,
    topic: CHANNEL_PICTURES.name,
    key: channelId,
    message,
  };
}
