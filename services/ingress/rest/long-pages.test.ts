import { expect, test } from 'vitest';
import { createDoorParts } from '#use-cases/door-parts.ts';
import { listPosts } from '#use-cases/list-posts.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';

const MAX_PAGE_BYTES = 8_000_000;
const LONG = '長'.repeat(60_000);
const POSTS = 100;

async function openLong() {
  const open = await openIngressWorld();
  const { scenario, world } = open;
  const channelId = world.channel(scenario, 'facebook');
  const create = (text: string) => {
    scenario.now += 1_000;
    const post = { text, channelIds: [channelId], scheduledAt: new Date(START + 86_400_000).toISOString() };
    return open.harness.call('POST', '/api/posts', { key: open.key, body: post });
  };
  return { ...open, create, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
}

test('a page of long Posts ends at 8 MB, and its cursor leads to the rest: every Post once, newest first', async () => {
  await using open = await openLong();
  const { harness, key, create } = open;
  const made: string[] = [];
  for (let post = 0; post < POSTS; post++) made.unshift((await create(`${post} ${LONG}`)).body.data.id);
  const listed: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = `/api/posts?limit=${POSTS}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { headers, body } = await harness.call('GET', query, { key });
    listed.push(...body.data.map(({ id }: { id: string }) => id));
    sizes.push(Number(headers.get('content-length')));
    cursor = body.nextCursor;
  }
  expect(listed).toEqual(made);
  expect(sizes).toHaveLength(3);
  for (const size of sizes) expect(size).toBeLessThan(MAX_PAGE_BYTES + 10_000);
  expect(sizes[0]).toBeGreaterThan(MAX_PAGE_BYTES - 200_000);
});

test('a page is read a few Posts at a time, as many as take 128 KB, at most twice as many as before', async () => {
  await using open = await openLong();
  const { scenario, create, world } = open;
  const readers = world.readers();
  const asked = async (limit: number) => {
    const limits: number[] = [];
    const posts: typeof readers.posts = {
      ...readers.posts,
      list: (workspaceId, filter) => (limits.push(filter.limit), readers.posts.list(workspaceId, filter)),
    };
    const parts = { clock: open.clock, ids: world.ids, requests: readers.requests, addressesPerMinute: 0 };
    const doors = createDoorParts({ ...parts, secret: 'a secret of the installation' });
    const call = { workspaceId: scenario.id, signal: new AbortController().signal } as Parameters<typeof listPosts>[0];
    const page = await listPosts(call, { limit }, { ...readers, ...doors, posts }, () => null);
    return { limits, posts: page.ok ? page.value.posts.length : page };
  };
  for (let post = 0; post < 30; post++) await create(`${post}`);
  expect(await asked(30)).toEqual({ limits: [8, 16, 6], posts: 30 });
  for (let post = 0; post < 20; post++) await create(`${post} ${LONG}`);
  const { limits, posts } = await asked(20);
  expect(posts).toBe(20);
  expect(limits[0]).toBe(8);
  expect(Math.max(...limits.slice(1))).toBeLessThanOrEqual(6);
});
