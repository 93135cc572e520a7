import { expect, test, vi } from 'vitest';
import { openMemoryWorld } from './memory-world.ts';

const soon = { timeout: 60_000, interval: 10 };

test('an immediate Post is live on every Channel, once, with permalinks', async () => {
  await using world = await openMemoryWorld();
  const { workspaceId, channels } = await world.workspace('Acme');
  const { result } = await world.post(workspaceId, Object.values(channels), 'Good morning', null);
  if (!result.ok || result.kind !== 'post') throw new Error(JSON.stringify(result));
  await vi.waitFor(async () => {
    const post = await world.read(workspaceId, result.postId);
    expect(post?.variants.map(({ status }) => status)).toEqual(['published', 'published']);
    expect(post?.variants.every(({ permalink }) => permalink !== null)).toBe(true);
  }, soon);
  expect((await world.items()).map(({ network, text }) => `${network}: ${text}`).sort()).toEqual([
    'threads: Good morning',
    'x: Good morning',
  ]);
  expect(world.reporter.failures()).toEqual([]);
});

test('a scheduled Post fires at its instant, and not before', async () => {
  await using world = await openMemoryWorld();
  const { workspaceId, channels } = await world.workspace('Acme');
  const at = world.clock.now() + 20 * 60_000;
  const { result } = await world.post(workspaceId, Object.values(channels), 'Later', at);
  if (!result.ok || result.kind !== 'post') throw new Error(JSON.stringify(result));
  world.clock.advance(19 * 60_000);
  await world.scheduler.caughtUp();
  expect((await world.read(workspaceId, result.postId))?.variants.map(({ status }) => status)).toEqual([
    'scheduled',
    'scheduled',
  ]);
  world.clock.advance(60_000);
  await world.scheduler.caughtUp();
  await vi.waitFor(async () => {
    expect((await world.read(workspaceId, result.postId))?.variants.map(({ status }) => status)).toEqual([
      'published',
      'published',
    ]);
  }, soon);
  expect(await world.items()).toHaveLength(2);
  expect(world.reporter.failures()).toEqual([]);
});
