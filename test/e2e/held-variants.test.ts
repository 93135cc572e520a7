import { expect, test } from 'vitest';
import { createPublishingHolds } from '#use-cases/publishing-holds.ts';
import { until } from '#testing/until.ts';
import { openMemoryWorld } from './memory-world.ts';

const MINUTE_MS = 60_000;
const ALLOWED = 15;
const WINDOW_MS = 5 * MINUTE_MS;
const POSTS = 40;
const DAY_SECONDS = 86_400;

interface LiveItem {
  readonly network: string;
  readonly text: string;
  readonly publishedAt: string;
}

const textOf = (place: number): string => `Post ${String(place).padStart(2, '0')}`;

/** Everything is held, Variants of one Channel come due, and the hold is released; resolves when all are live. */
async function released(budgets: string): Promise<readonly LiveItem[]> {
  await using world = await openMemoryWorld({
    connected: ['x'],
    budgets,
    // The clock is moved as fast as work gets done: nothing shall be late for it.
    missedWindowSeconds: DAY_SECONDS,
  });
  const { clock, ports, factory, scheduler } = world;
  const holds = createPublishingHolds({ ...ports, brake: factory.brake });
  const { workspaceId, channels } = await world.workspace('Acme');
  const everything = { network: null, workspaceId: null } as const;
  await holds.hold(everything, { holder: 'operator', by: 'ada', reason: 'the wrong client' });
  const from = clock.now() + 20 * MINUTE_MS;
  // Written in another order than they are due.
  const order = Array.from({ length: POSTS }, (_, index) => (index * 7) % POSTS);
  for (const place of order) {
    const { result } = await world.post(workspaceId, [channels['x']!], textOf(place), from + place * 1_000);
    expect(result).toMatchObject({ ok: true });
  }
  const live = async (): Promise<readonly LiveItem[]> =>
    ((await world.control('GET', '/sandbox/items')) as { readonly items: readonly LiveItem[] }).items;
  const waiting = async (): Promise<number> => (await holds.status())[0]?.waiting ?? 0;
  clock.advance(30 * MINUTE_MS);
  await scheduler.caughtUp();
  await until(async () => (await waiting()) === POSTS, { what: 'all wait', withinMs: 60_000 });
  expect(await live()).toEqual([]);

  await holds.release(everything, { holders: ['operator'], by: 'ada' });
  let count = 0;
  await until(
    async () => {
      const now = (await live()).length;
      // What is allowed is used up, or more is on its way.
      if (now === count) clock.advance(5_000);
      count = now;
      await scheduler.caughtUp();
      return now === POSTS;
    },
    { what: 'all are live', withinMs: 120_000, everyMs: 20 },
  );
  expect(world.reporter.failures()).toEqual([]);
  const inTime = (a: LiveItem, b: LiveItem): number => Date.parse(a.publishedAt) - Date.parse(b.publishedAt);
  return (await live()).toSorted((a, b) => inTime(a, b) || a.text.localeCompare(b.text));
}

test(
  'held Variants that are released go live once, in the order of their due times',
  { timeout: 300_000 },
  async () => {
    const items = await released('off');
    expect(items.map(({ text }) => text)).toEqual(Array.from({ length: POSTS }, (_, place) => textOf(place)));
  },
);

test('and never more of them in a window than the Network allows', { timeout: 300_000 }, async () => {
  const items = await released(`x.account=${ALLOWED}/5m`);
  expect(new Set(items.map(({ text }) => text)).size).toBe(POSTS);
  const times = items.map(({ publishedAt }) => Date.parse(publishedAt));
  const most = Math.max(...times.map((end) => times.filter((at) => at > end - WINDOW_MS && at <= end).length));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(ALLOWED);
});
