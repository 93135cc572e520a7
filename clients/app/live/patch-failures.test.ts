import { expect, test } from 'vitest';
import type { ShownCard } from '../pages/calendar/cards/calendar-card.ts';
import { patchFailures } from './patch-failures.ts';

const WEEK = { from: '2026-11-16T10:00:00.000Z', to: '2026-11-23T10:00:00.000Z' };
const FAILURES = [
  { id: 'a', at: '2026-11-20T09:00:00.000Z', variants: 1 },
  { id: 'b', at: '2026-11-21T09:00:00.000Z', variants: 2 },
];

function card(id: string, at: string, ...statuses: readonly ('failed' | 'published' | 'publishing')[]): ShownCard {
  const variants = statuses.map((status, index) => ({
    id: `${id}_${index}`,
    channelId: 'c',
    network: 'x' as const,
    placement: 'feed' as const,
    status,
    failureReason: null,
  }));
  return { id, at, words: 'Words', via: null, thumbnail: null, files: 0, variants };
}

const patched = (...cards: readonly ShownCard[]) =>
  patchFailures(FAILURES, { ...WEEK, changed: new Set(cards.map(({ id }) => id)), cards });

test('a Post that fails is shown, one that is retried no longer', () => {
  expect(
    patched(
      card('a', FAILURES[0]!.at, 'publishing'),
      card('b', FAILURES[1]!.at, 'failed', 'published'),
      card('c', '2026-11-23T09:00:00.000Z', 'failed'),
    ),
  ).toEqual([
    { ...FAILURES[1]!, variants: 1 },
    { id: 'c', at: '2026-11-23T09:00:00.000Z', variants: 1 },
  ]);
});

test('what is published, or failed before the week, changes nothing: it is the same list', () => {
  expect(
    patched(card('d', '2026-11-23T09:00:00.000Z', 'published'), card('e', '2026-10-01T09:00:00.000Z', 'failed')),
  ).toBe(FAILURES);
});
