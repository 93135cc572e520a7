import { describe, expect, it } from 'vitest';
import type { ShownCard } from './calendar-card.ts';
import { patchCards } from './patch-cards.ts';

const WEEK = { from: '2026-11-23T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' };

function card(id: string, at: string, status: 'scheduled' | 'published' = 'scheduled'): ShownCard {
  const variant = {
    id: `${id}_0`,
    channelId: 'c',
    network: 'x',
    placement: 'feed',
    status,
    failureReason: null,
  } as const;
  return { id, at, words: 'Words', via: null, thumbnail: null, files: 0, variants: [variant] };
}

describe('a week of cards', () => {
  const a = card('a', '2026-11-24T08:00:00.000Z');
  const b = card('b', '2026-11-25T08:00:00.000Z');
  const page = { cards: [a, b], isCut: false };
  const patched = (ids: readonly string[], cards: readonly ShownCard[]) =>
    patchCards(page, { ...WEEK, changed: new Set(ids), cards });

  it('shows what a Post is now, and leaves the others the same objects', () => {
    const published = card('a', a.at, 'published');
    const { cards } = patched(['a'], [published]);
    expect(cards[0]).toBe(published);
    expect(cards[1]).toBe(b);
  });

  it('is the same object when nothing of it changed', () => {
    expect(patched(['a', 'elsewhere'], [card('a', a.at), card('elsewhere', '2026-12-24T08:00:00.000Z')])).toBe(page);
  });

  it('takes in a Post that is new in it, and gives up one that went to another week or is gone', () => {
    const added = card('c', '2026-11-26T08:00:00.000Z');
    const { cards } = patched(['a', 'b', 'c'], [card('a', '2026-12-24T08:00:00.000Z'), added]);
    expect(cards).toEqual([added]);
  });
});
