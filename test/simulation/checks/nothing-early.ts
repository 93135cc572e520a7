import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Check } from '../aftermath.ts';

/**
 * Nothing is live before it is due, except by the difference that clocks may have; a scheduler whose clock is minutes
 * ahead is stopped by the Workspace's clock.
 */
export const nothingIsEarly: Check = (after) => {
  const { witness } = after.world;
  const toleranceMs = witness.mostAheadMs + (witness.leapt ? CLOCK_SKEW_MS : 0);
  return everyVariant(after).flatMap(({ post, variant }) => {
    const item = after.items.find(
      ({ network, remoteId }) => network === variant.network && remoteId === variant.remoteId,
    );
    if (item === undefined || variant.status !== 'published') return [];
    const earlyMs = (variant.scheduledAt ?? post.createdAt) - item.publishedAt;
    if (earlyMs <= toleranceMs) return [];
    return [
      {
        check: 'nothing is early',
        detail: `variant ${variant.id} went live ${earlyMs} ms before it was due`,
        about: [post.id.slice(0, -2)],
      },
    ];
  });
};
