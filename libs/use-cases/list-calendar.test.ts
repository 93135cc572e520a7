import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { Post } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import { listCalendar } from './list-calendar.ts';

const wordsOf = async (text: string): Promise<string> => {
  const post: Partial<Post> = { id: 'p', text, createdAt: 1, scheduledAt: null, via: null };
  Object.assign(post, { media: [], variants: [], channelOptions: {} });
  const posts = { list: async () => ({ posts: [post as Post], more: false }) };
  const slices = new TimeSlices({ clock: createMemoryClock() });
  const call = { workspaceId: 'w', signal: new AbortController().signal } as ApiCall;
  const result = await listCalendar(call, { from: 0, to: 2 }, { posts, slices, mediaUrl: String });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.cards[0]!.words;
};

test('a card has the first 120 characters of a text, and no half of one', async () => {
  expect(await wordsOf('short 🎉')).toBe('short 🎉');
  expect(await wordsOf('a'.repeat(500))).toBe('a'.repeat(120));
  expect(await wordsOf('🎉'.repeat(500))).toBe('🎉'.repeat(120));
  expect(await wordsOf(`${'a'.repeat(119)}🎉b`)).toBe(`${'a'.repeat(119)}🎉`);
  expect(await wordsOf(`${'a'.repeat(120)}🎉`)).toBe('a'.repeat(120));
});

test('a calendar has no more Posts than have 60,000 Variants, in order, and gives way while they are sorted', async () => {
  const variants = Array.from({ length: 100 }, (_, index) => ({ id: `v${index}`, status: 'scheduled' }));
  const post = (index: number): Post => {
    const about = { id: `p${index}`, text: '', createdAt: (index * 7_919) % 100_003, scheduledAt: null, via: null };
    return { ...about, media: [], variants, channelOptions: {} } as unknown as Post;
  };
  let read = 0;
  const posts = { list: async () => ({ posts: Array.from({ length: 10 }, () => post(read++)), more: read < 2_000 }) };
  let [now, waits] = [0, 0];
  const sleep = async (): Promise<void> => void waits++;
  const slices = new TimeSlices({ clock: { monotonic: () => (now += 1), sleep } });
  const call = { workspaceId: 'w', signal: new AbortController().signal } as ApiCall;
  const result = await listCalendar(call, { from: 0, to: 2 }, { posts, slices, mediaUrl: String });
  if (!result.ok) throw new Error(result.problem.message);
  const { cards, isCut } = result.value;
  expect([isCut, cards.length]).toEqual([true, 600]);
  const times = cards.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  expect(waits).toBeGreaterThan(0);
});
