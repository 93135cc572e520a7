import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Check } from '../aftermath.ts';

/** What a Disconnect ended stays ended, also when the Channel is connected again before it would have been due. */
export const disconnectedIsEnded: Check = (after) => {
  const disconnects = after.history.of('operator').filter(({ what, seen }) => what === 'disconnect' && seen === 'ok');
  return everyVariant(after).flatMap(({ post, variant }) => {
    if (variant.attempt > 1 || variant.status !== 'published') return [];
    const dueAt = Math.max(variant.dueAt, post.createdAt);
    const ended = disconnects.find(
      ({ channelId, invokedAt, completedAt }) =>
        channelId === variant.channelId &&
        post.createdAt < invokedAt - CLOCK_SKEW_MS &&
        dueAt > completedAt! + after.world.witness.mostAheadMs + CLOCK_SKEW_MS,
    );
    if (ended === undefined) return [];
    const lateMs = dueAt - ended.completedAt!;
    const detail = `variant ${variant.id} was published, though its Channel was disconnected ${lateMs} ms before it was due`;
    return [{ check: 'what a Disconnect ended stays ended', detail, about: [post.id.slice(0, -2)] }];
  });
};
