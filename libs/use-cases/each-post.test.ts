import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { TimeSlices, type Pause } from '#concurrency/time-slice.ts';
import type { Post } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import { listCalendar, listFailures, readCards } from './list-calendar.ts';

const CALL = { workspaceId: 'w', signal: new AbortController().signal } as ApiCall;
const RANGE = { from: 0, to: 2 };
const LONG = 'a'.repeat(100_000);

/** Posts of these texts, newest first; `steps`: how many each read asked for, and each time the work may give way. */
function open(texts: readonly string[]) {
  const steps: (number | 'pause')[] = [];
  const all = texts.map((text, index): Post => {
    const id = String(texts.length - index).padStart(6, '0');
    const post = { id, text, createdAt: 1, scheduledAt: null, via: null, media: [], variants: [], channelOptions: {} };
    return post as Partial<Post> as Post;
  });
  const posts = {
    list: async (_workspaceId: string, { limit, before }: { limit: number; before: string | null }) => {
      steps.push(limit);
      const rest = all.filter(({ id }) => before === null || id < before);
      return { posts: rest.slice(0, limit), more: rest.length > limit };
    },
  };
  const clock = createMemoryClock();
  const slices = Object.assign(new TimeSlices({ clock }), { begin: (): Pause => () => void steps.push('pause') });
  return { steps, options: { posts, slices, mediaUrl: String } };
}

test.each([
  ['listCalendar', listCalendar],
  ['listFailures', listFailures],
])('%s reads long Posts a few at a time, and other Workspaces have the loop in between', async (_name, list) => {
  const { steps, options } = open(Array.from({ length: 40 }, () => LONG));
  const listed = await list(CALL, RANGE, options);
  expect(listed.ok).toBe(true);
  expect(steps.slice(0, 6)).toEqual(['pause', 8, 'pause', 4, 'pause', 4]);
});

test('cards of long Posts are read a few at a time', async () => {
  const { steps, options } = open([]);
  let [now, most] = [0, 0];
  const read = async (_workspaceId: string, id: string) => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now -= 1;
    return { ...({ id, text: LONG, createdAt: 1, scheduledAt: null, via: null } as Post), media: [], variants: [] };
  };
  const idOf = (index: number) => `01a20000-0000-7000-8000-${String(index).padStart(10, '0')}00`;
  const ids = Array.from({ length: 100 }, (_, index) => idOf(index));
  const cards = await readCards(CALL, ids, { ...options, posts: { read } });
  expect(cards.ok && cards.value).toHaveLength(100);
  expect([most, steps.filter((step) => step === 'pause').length]).toEqual([8, 100]);
});

test('short Posts are read in few reads, each at most twice as many as the one before', async () => {
  const { steps, options } = open(Array.from({ length: 3_000 }, (_, index) => `${index}`));
  const listed = await listCalendar(CALL, RANGE, options);
  expect(listed.ok && [listed.value.cards.length, listed.value.isCut]).toEqual([3_000, false]);
  const reads = steps.filter((step) => step !== 'pause');
  expect(reads.slice(0, 7)).toEqual([8, 16, 32, 64, 128, 256, 512]);
  expect(reads).toHaveLength(11);
});
