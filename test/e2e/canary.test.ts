import { expect, test } from 'vitest';
import { CANARY, CANARY_STAGES } from '#domain/canary.ts';
import { DUE, DUE_HOURS, INSTALLATION } from '#tables/declarations/tables.ts';
import { SHARDS } from '#tables/declarations/topics.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { openCanaryWorld, recordOf, toldOf, type CanaryWorld } from './canary-world.ts';

const MINUTE_MS = 60_000;

/** Seconds since each stage was reached, as the gauge has it. */
const ages = (world: CanaryWorld, canary: Awaited<ReturnType<CanaryWorld['canary']>>) =>
  Object.fromEntries(canary.lastSuccess().map(({ stage, at }) => [stage, (world.clock.unmoved() - at) / 1_000]));

test('a Post goes the whole way each minute, and no request leaves the process', async () => {
  await using world = await openCanaryWorld();
  const canary = await world.canary();
  await world.clock.advance(5 * MINUTE_MS);
  expect(toldOf(world, 'canary-failed')).toEqual([]);
  const reached = toldOf(world, 'canary-stage-reached');
  for (const stage of CANARY_STAGES) expect(reached.filter((each) => each === stage).length, stage).toBeGreaterThan(2);
  const seen = ages(world, canary);
  for (const stage of CANARY_STAGES) expect(seen[stage], stage).toBeLessThan(75);
  expect(world.left).toEqual([]);
  expect(world.reporter.failures()).toEqual([]);
  const counted = world.reporter.events.filter(({ event }) => OF_TENANTS.includes(event));
  expect(counted).toEqual([]);
});

const STUCK = [
  ['no scheduler runs', { without: ['scheduler'] }, 'due'],
  ['no publisher runs', { without: ['publisher'] }, 'published'],
  ['the verdicts get lost', { losing: 'PublishSucceeded' }, 'published'],
  ['no process delivers', { without: ['webhooks'] }, 'told'],
  ['nothing takes commands', { without: ['workspace'] }, 'accepted'],
] as const;

test.for(STUCK)('%s: the stage that is not reached, and those behind it, grow old', async ([_, fault, stage]) => {
  await using world = await openCanaryWorld(fault);
  const canary = await world.canary();
  await world.clock.advance(15_000);
  // Its Post is due, and then overdue.
  for (const leapMs of [MINUTE_MS, 3 * MINUTE_MS]) {
    world.clock.moveWall(leapMs);
    await world.clock.advance(8_000);
  }
  await world.clock.advance(15_000);
  const [first] = toldOf(world, 'canary-failed');
  expect(first).toBe(stage);
  const seen = ages(world, canary);
  const at = CANARY_STAGES.indexOf(stage);
  for (const each of CANARY_STAGES.slice(at)) expect(toldOf(world, 'canary-stage-reached'), each).not.toContain(each);
  for (const each of CANARY_STAGES.slice(0, at)) expect(seen[each], each).toBeLessThan(seen[stage]!);
});

test("a Network that is out of order holds back a tenant's Posts, and not the canary's", async () => {
  await using world = await openCanaryWorld();
  await world.postsOfTenant(10);
  await world.clock.advance(5_000);
  expect(world.reporter.of('circuit-breaker-opened')).toHaveLength(1);
  expect(world.left.length).toBeGreaterThan(7);
  await world.canary();
  await world.clock.advance(75_000);
  expect(toldOf(world, 'canary-stage-reached')).toContain('told');
  expect(toldOf(world, 'canary-failed')).toEqual([]);
  expect(world.reporter.of('circuit-breaker-closed')).toEqual([]);
});

test('a hold of everything is reported, is no failure, and leaves nothing that waits', async () => {
  await using world = await openCanaryWorld();
  const canary = await world.canary();
  await world.clock.advance(10_000);
  const everything = { network: null, workspaceId: null };
  await world.holds.hold(everything, { holder: 'operator', reason: 'a test', by: 'ada' });
  world.clock.moveWall(MINUTE_MS);
  await world.clock.advance(20_000);
  world.clock.moveWall(10 * MINUTE_MS);
  await world.clock.advance(10_000);
  expect(world.reporter.of('canary-held').length).toBeGreaterThan(1);
  expect(toldOf(world, 'canary-failed')).toEqual([]);
  expect(ages(world, canary)['held']).toBeLessThan(30);
  const posts = await listPosts(world.ports.store, CANARY.workspaceId, ALL, world.clock.now());
  expect(posts.posts.flatMap(({ variants }) => variants.map(({ status }) => status))).toEqual([
    'cancelled',
    'cancelled',
  ]);
  await world.holds.release(everything, { holders: ['operator'], by: 'ada' });
  for (let minutes = 0; minutes < 3; minutes++) {
    world.clock.moveWall(MINUTE_MS);
    await world.clock.advance(10_000);
  }
  expect(toldOf(world, 'canary-stage-reached')).toContain('told');
  expect(toldOf(world, 'canary-failed')).toEqual([]);
});

test('on a Network that is held, and only there, it makes no Variant', async () => {
  await using world = await openCanaryWorld();
  const who = { holder: 'operator', reason: 'a test', by: 'ada' } as const;
  await world.holds.hold({ network: 'facebook', workspaceId: null }, who);
  await world.canary();
  await world.clock.advance(10_000);
  expect((await recordOf(world)).open.map(({ networks }) => networks)).toEqual([['threads']]);
});

test('of two processes one runs it; when it is killed the other goes on, and no Post is made twice', async () => {
  await using world = await openCanaryWorld();
  const one = await world.canary();
  const other = await world.canary();
  await world.clock.advance(70_000);
  const began = () => world.reporter.of('canary-begun').length;
  const accepted = () => toldOf(world, 'canary-stage-reached').filter((stage) => stage === 'accepted').length;
  expect([began(), accepted()]).toEqual([1, 2]);
  const holder = (await recordOf(world)).holder;
  // Both know what the record says, so that the gauge is there whichever process is asked.
  for (const canary of [one, other]) expect(ages(world, canary)['accepted']).toBeLessThan(75);
  await one.stop();
  await world.clock.advance(60_000);
  expect([began(), (await recordOf(world)).holder === holder]).toEqual([2, false]);
  await world.clock.advance(60_000);
  expect(toldOf(world, 'canary-failed')).toEqual([]);
  expect(accepted()).toBeLessThanOrEqual(5);
  await other.drain();
  expect((await recordOf(world)).holder).toBe('');
});

test('a process that lost its lease while it was paused makes no Post', async () => {
  await using world = await openCanaryWorld();
  const one = await world.canary();
  await world.clock.advance(5_000);
  await one.stop();
  const other = await world.canary();
  await world.clock.advance(60_000);
  const made = toldOf(world, 'canary-stage-reached').filter((stage) => stage === 'accepted').length;
  await one.step();
  await one.step();
  expect(toldOf(world, 'canary-stage-reached').filter((stage) => stage === 'accepted').length).toBe(made);
  await other.step();
  expect((await recordOf(world)).holder).not.toBe('');
});

test('off again, it leaves nothing that comes due', async () => {
  await using world = await openCanaryWorld();
  const canary = await world.canary();
  await world.clock.advance(10_000);
  await canary.drain();
  for (let minutes = 0; minutes < 5; minutes++) {
    world.clock.moveWall(MINUTE_MS);
    await world.clock.advance(3_000);
  }
  const posts = await listPosts(world.ports.store, CANARY.workspaceId, ALL, world.clock.now());
  expect(posts.posts.flatMap(({ variants }) => variants.map(({ status }) => status))).toEqual([
    'published',
    'published',
  ]);
  expect(toldOf(world, 'canary-failed')).toEqual([]);
});

test('over hundreds of rounds the tables stay as large as after the first day', { timeout: 300_000 }, async () => {
  await using world = await openCanaryWorld();
  const step = world.steps(ROUND_MS / 1_000);
  const told = (): number => toldOf(world, 'canary-stage-reached').filter((stage) => stage === 'told').length;
  const live = async (rounds: number): Promise<Readonly<Record<string, number>>> => {
    for (let round = 0; round < rounds; round++) {
      const before = told();
      await step();
      world.clock.moveWall(61_000);
      for (let tries = 0; tries < 400 && told() === before; tries++) {
        await world.clock.advance(25);
        await step();
      }
      world.clock.moveWall(ROUND_MS - 61_000);
    }
    return world.rows();
  };
  const firstDay = await live(DAY_MS / ROUND_MS + 4);
  const later = await live(DAY_MS / ROUND_MS + 4);
  expect(toldOf(world, 'canary-failed')).toEqual([]);
  expect(told()).toBe(2 * (DAY_MS / ROUND_MS + 4));
  // What is written down of each shard in `installation` may come later than a day, by the same time.
  const atMost = (table: string): number => firstDay[table]! + (table === INSTALLATION.name ? SHARDS : 8);
  const grown = Object.entries(later).filter(
    ([table, rows]) => !BY_MONOTONIC_TIME.includes(table) && rows > atMost(table),
  );
  expect(Object.fromEntries(grown.map(([table, rows]) => [table, [firstDay[table], rows]]))).toEqual({});
});

const DAY_MS = 86_400_000;
const ROUND_MS = 900_000;
/** What figures of attempts, Networks and deliveries are made from. */
const OF_TENANTS: readonly string[] = [
  'attempt-begun',
  'attempt-ended',
  'attempt-held-back',
  'network-request-ended',
  'upkeep-ended',
  'webhook-attempt-ended',
  'webhook-delivery-ended',
];
/** Schedulers drop what has fired by clocks that can not be moved, so not in these days; as of all timers. */
const BY_MONOTONIC_TIME = [DUE.name, DUE_HOURS.name];
const ALL = { from: null, to: null, before: null, limit: 100 } as const;
