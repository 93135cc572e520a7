import { describe, expect, it } from 'vitest';
import { cardAt } from './calendar-card.fixture.ts';
import type { ShownCard } from './calendar-card.ts';
import { patchCards } from './patch-cards.ts';

const WEEK = { from: '2026-11-23T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' };

function publishedAt(id: string, at: string): ShownCard {
  const card = cardAt(id, at);
  return { ...card, variants: [{ ...card.variants[0]!, status: 'published' }] };
}

describe('a week of cards', () => {
  const a = cardAt('a', '2026-11-24T08:00:00.000Z');
  const b = cardAt('b', '2026-11-25T08:00:00.000Z');
  const page = { cards: [a, b], isCut: false };
  const patched = (ids: readonly string[], cards: readonly ShownCard[]) =>
    patchCards(page, { ...WEEK, changed: new Set(ids), cards });

  it('shows what a Post is now, and leaves the others the same objects', () => {
    const published = publishedAt('a', a.at);
    const { cards } = patched(['a'], [published]);
    expect(cards[0]).toBe(published);
    expect(cards[1]).toBe(b);
  });

  it('is the same object when nothing of it changed', () => {
    expect(patched(['a', 'elsewhere'], [cardAt('a', a.at), cardAt('elsewhere', '2026-12-24T08:00:00.000Z')])).toBe(
      page,
    );
  });

  it('takes in a Post that is new in it, and gives up one that went to another week or is gone', () => {
    const added = cardAt('c', '2026-11-26T08:00:00.000Z');
    const { cards } = patched(['a', 'b', 'c'], [cardAt('a', '2026-12-24T08:00:00.000Z'), added]);
    expect(cards).toEqual([added]);
  });
});
