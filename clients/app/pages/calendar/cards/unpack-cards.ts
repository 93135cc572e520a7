import type { PackedCards } from '#services/app/trpc/packed-cards.ts';
import type { CardsOfRange, ShownCard } from './calendar-card.ts';

/** The cards of an answer that names once what repeats: all that is equal in them is the same object. */
export function unpackCards({ vias, destinations, cards, isCut }: PackedCards): CardsOfRange {
  return {
    isCut,
    cards: cards.map(([id, at, words, via, thumbnail, files, variants]): ShownCard => ({
      id,
      at,
      words,
      via: vias[via] ?? null,
      thumbnail,
      files,
      variants: variants.map(([idEnd, place, status, failureReason]) => {
        const { channelId, network, placement } = destinations[place]!;
        return { id: id.slice(0, -idEnd.length) + idEnd, channelId, network, placement, status, failureReason };
      }),
    })),
  };
}
