import { expect, onTestFinished, test, vi } from 'vitest';
import { queryClient, serverKey } from '../../server/queries.ts';
import type { CardsOfRange, ShownCard } from './cards/calendar-card.ts';
import { cardAt } from './cards/calendar-card.fixture.ts';
import { movePost } from './move-post.ts';

const WEEK = { workspaceId: 'w', from: '2026-11-23T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' };
const CARD = cardAt('post_1', '2026-11-24T09:00:00.000Z');

/** A calendar that shows the Post, and a server that answers each procedure so. */
function calendarAnd(answers: Readonly<Record<string, () => unknown>>) {
  const queryKey = serverKey((from) => from.posts.calendar, WEEK);
  queryClient.setQueryData<CardsOfRange>(queryKey, { cards: [CARD], isCut: false });
  vi.stubGlobal('fetch', async (address: string) => {
    const procedure = Object.keys(answers).find((name) => address.includes(name));
    const answer = answers[procedure ?? '']?.();
    return Response.json([answer]);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    queryClient.clear();
  });
  return () => queryClient.getQueryData<CardsOfRange>(queryKey)?.cards;
}

const refusal = (code: string) => ({
  error: {
    message: 'no',
    code: -32_000,
    data: { code: 'CONFLICT', httpStatus: 409, problem: { code, message: 'No.' } },
  },
});

test('a Post that could not be moved, as it was cancelled meanwhile, is shown as it is now', async () => {
  const cancelled: ShownCard = { ...CARD, variants: [{ ...CARD.variants[0]!, status: 'cancelled' }] };
  const shown = calendarAnd({
    'posts.move': () => refusal('too_late'),
    'posts.cards': () => ({ result: { data: [cancelled] } }),
  });
  await movePost({ workspaceId: 'w', card: CARD, to: Date.parse('2026-11-25T09:00:00Z'), timeZone: 'UTC' });
  expect(shown()).toEqual([cancelled]);
});

test('a Post that could not be moved, and of which nothing more is heard, is where it was', async () => {
  const shown = calendarAnd({
    'posts.move': () => refusal('too_late'),
    'posts.cards': () => refusal('rate_limited'),
  });
  await movePost({ workspaceId: 'w', card: CARD, to: Date.parse('2026-11-25T09:00:00Z'), timeZone: 'UTC' });
  expect(shown()).toEqual([CARD]);
});
