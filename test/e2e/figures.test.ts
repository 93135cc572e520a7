import { expect, test, vi } from 'vitest';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { openMemoryWorld } from './memory-world.ts';

const soon = { timeout: 60_000, interval: 10 };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('a video published at youtube has figures from an hour on, and daily ones some days later', async () => {
  await using world = await openMemoryWorld({ connected: ['youtube'], files: fixtureRenditions(['film']) });
  const { workspaceId, channels } = await world.workspace('Acme');
  const { result } = await world.post(workspaceId, Object.values(channels), 'A film.', null);
  if (!result.ok || result.kind !== 'post') throw new Error(JSON.stringify(result));
  const figures = async () => [...(await world.factory.ingressPorts.metrics(result.postId)).values()];
  await vi.waitFor(
    async () => expect((await world.read(workspaceId, result.postId))?.variants[0]?.status).toBe('published'),
    soon,
  );
  expect(await figures()).toEqual([]);

  world.clock.advance(HOUR + 60_000);
  await world.scheduler.caughtUp();
  await vi.waitFor(async () => expect(await figures()).toMatchObject([{ views: expect.any(Number), days: [] }]), soon);
  const [first] = await figures();
  expect(first!.views).toBeGreaterThan(0);

  for (let day = 0; day < 6; day++) {
    world.clock.advance(DAY);
    await world.scheduler.caughtUp();
  }
  await vi.waitFor(async () => expect((await figures())[0]!.days.length).toBeGreaterThan(1), soon);
  const [later] = await figures();
  expect(later!.views).toBeGreaterThan(first!.views);
  expect(later!.days.map(({ day }) => day)).toEqual([...later!.days.map(({ day }) => day)].sort());
  expect(later!.days[0]).toMatchObject({
    minutesWatched: expect.any(Number),
    averageViewPercentage: expect.any(Number),
  });
  expect(world.reporter.failures()).toEqual([]);
});
