import type { ShownCard } from './calendar-card.ts';

/** The card of a scheduled Post with one Variant on x, which has the id of the Post with `_0` behind it. */
export function cardAt(id: string, at: string): ShownCard {
  const variant = {
    id: `${id}_0`,
    channelId: 'c',
    network: 'x',
    placement: 'feed',
    status: 'scheduled',
    failureReason: null,
  } as const;
  return { id, at, words: 'Words', via: null, thumbnail: null, files: 0, variants: [variant] };
}
