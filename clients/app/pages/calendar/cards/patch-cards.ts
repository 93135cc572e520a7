import type { ShownCard, CardsOfRange } from './calendar-card.ts';

export interface CardPatch {
  /** ISO 8601, UTC: the range of the page. */
  readonly from: string;
  readonly to: string;
  /** Ids of the Posts that changed. */
  readonly changed: ReadonlySet<string>;
  /** What they are now; one that is gone has none. */
  readonly cards: readonly ShownCard[];
}

/** The page with what these Posts are now. Cards that did not change stay the same objects, as does the page. */
export function patchCards(page: CardsOfRange, { from, to, changed, cards }: CardPatch): CardsOfRange {
  const now = new Map(cards.filter(({ at }) => at >= from && at < to).map((card) => [card.id, card]));
  let isChanged = false;
  const kept: ShownCard[] = [];
  for (const old of page.cards) {
    if (!changed.has(old.id)) {
      kept.push(old);
      continue;
    }
    const its = now.get(old.id);
    now.delete(old.id);
    if (its !== undefined && JSON.stringify(its) === JSON.stringify(old)) {
      kept.push(old);
      continue;
    }
    isChanged = true;
    if (its !== undefined) kept.push(its);
  }
  if (!isChanged && now.size === 0) return page;
  return { ...page, cards: [...kept, ...now.values()] };
}
