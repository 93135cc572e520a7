import { expect, test } from 'vitest';
import { createDueTimers, minuteOf, nameOfTimer, type DueTimer } from '#tables/repositories/due.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { HEAD, readHead } from '#tables/repositories/workspaces.ts';
import { contentRow, readPost } from '#tables/repositories/posts.ts';
import { POSTS, WORKSPACES } from '#tables/declarations/tables.ts';
import { BODY_FORMAT } from '#tables/rows/body.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { aWorkspace, DAY, HOUR, MINUTE, RULES } from '#testing/scenario.ts';
import { LostWork } from './lost-work.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

const codec = createCodec({ registry: createBuiltInRegistry() });

/**
 * A Workspace with a Post that is due now, or in `beforeMs`, whose log loses what it acknowledges; its timers are rows.
 */
async function open(beforeMs = 0) {
  const harness = openWorkspaceHarness();
  const { clock, store, log, reporter } = harness;
  const told: Command[] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void told.push(command) });
  const channelId = scenario.channel('threads');
  const dueAt = scenario.now + DAY;
  const creating = scenario.creating({ text: 'a', channelIds: [channelId], scheduledAt: dueAt });
  const shard = shardOf(scenario.id);
  const due = createDueTimers(store);
  const shards = createShards(store);
  await shards.found(shard, minuteOf(clock.now()), 'made');
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, [...told, creating]);
  let pauses = 0;
  const slices = { begin: () => () => void pauses++ };
  const options = { log, codec, clock, store, reporter, due, ids: createSeededIds(7), rules: RULES, slices };
  /** Of a further process, which has just begun. */
  const anotherLook = () => new LostWork(options, () => [shard]);
  const lostWork = anotherLook();
  const timersIn = async (from: number, until: number): Promise<readonly DueTimer[]> => {
    const timers: DueTimer[] = [];
    for (let minute = minuteOf(from); minute <= minuteOf(until); minute++)
      timers.push(...(await due.read(shard, minute, null, 100)));
    return timers;
  };
  const moveWatermark = async (instant: number): Promise<void> => {
    const row = (await shards.claim(shard, `claim ${clock.now()} ${instant}`))!;
    const { epoch: _, owner: _owner, version: _version, ...rest } = row;
    await shards.move(shard, row, { ...rest, minute: minuteOf(instant) }, `move ${clock.now()} ${instant}`);
  };
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Time passes, and everything before now has fired, into a log that lost it; `leadMs`: by a clock that leads. */
  const pass = async (ms: number, leadMs = 0): Promise<void> => {
    for (let left = ms; left > 0; left -= MINUTE) {
      await clock.advance(Math.min(left, MINUTE));
      await moveWatermark(clock.now() + leadMs);
      await rest();
    }
  };
  const fire = async ({ topic, payload }: DueTimer): Promise<void> => {
    const decoded = await codec.decode(payload);
    if (!decoded.ok || topic !== WORKSPACE_COMMANDS.name) throw new Error(topic);
    await harness.handle(actor, [decoded.message as Command]);
  };
  const variant = async () => (await readPost(store, scenario.id, creating.postId))!.variants[0]!;
  await clock.advance(dueAt - beforeMs - clock.now());
  return {
    ...{ harness, scenario, actor, dueAt, due, lostWork, anotherLook, timersIn, pass, fire, variant },
    pauses: () => pauses,
  };
}

const found = ({ harness }: Awaited<ReturnType<typeof open>>) =>
  harness.reporter.of('lost-work-found').map(({ facts }) => facts['work']);

test('a Variant whose VariantsDue was lost is made due again, by a timer of its own that is looked at in its turn', async () => {
  const world = await open();
  world.lostWork.start();
  await world.pass(14 * MINUTE);
  expect(found(world)).toEqual([]);
  await world.pass(4 * MINUTE);
  expect(found(world)).toEqual(['due']);
  const [again, ...others] = (await world.timersIn(world.dueAt + MINUTE, world.harness.clock.now())).filter(
    ({ topic }) => topic === WORKSPACE_COMMANDS.name,
  );
  expect(others).toEqual([]);
  expect(nameOfTimer(again!.timerId)).toMatch(/^again\//);
  // Lost as well.
  await world.pass(20 * MINUTE);
  expect(found(world)).toEqual(['due', 'due']);
  await world.fire(again!);
  expect((await world.variant()).status).toBe('publishing');
  world.lostWork.stop();
});

test('a Plan that was to change, whose PlanDue was lost, changes all the same', async () => {
  const world = await open();
  const { harness, scenario } = world;
  scenario.now = harness.clock.now();
  const effectiveAt = scenario.now + MINUTE;
  await harness.handle(world.actor, [scenario.ask({ type: 'SetPlan', plan: 'free', effectiveAt })]);
  world.lostWork.start();
  await world.pass(15 * MINUTE);
  expect(found(world)).toEqual([]);
  await world.pass(4 * MINUTE);
  expect(found(world).toSorted()).toEqual(['due', 'plan']);
  const [again] = (await world.timersIn(effectiveAt + MINUTE, harness.clock.now())).filter(({ timerId }) =>
    timerId.startsWith('plan/'),
  );
  await world.fire(again!);
  expect((await readHead(harness.store, scenario.id))!.state).toMatchObject({ plan: 'free', comingPlan: null });
  await world.pass(40 * MINUTE);
  expect(found(world).filter((work) => work === 'plan')).toEqual(['plan']);
  world.lostWork.stop();
});

test('a Workspace whose head can not be decoded does not end the look for lost work of others', async () => {
  const world = await open();
  const { harness, scenario } = world;
  scenario.now = harness.clock.now();
  await harness.handle(world.actor, [
    scenario.ask({ type: 'SetPlan', plan: 'free', effectiveAt: scenario.now + MINUTE }),
  ]);
  const stored = (await harness.store.read(WORKSPACES, [scenario.id], HEAD))!;
  await harness.store.compareAndSet(WORKSPACES, {
    ...{ partition: [scenario.id], clustering: HEAD, expected: stored.version },
    next: { version: stored.version + 1, token: 'a defect', format: BODY_FORMAT, body: Buffer.from('no head') },
  });
  world.lostWork.start();
  await world.pass(20 * MINUTE);
  expect(found(world)).toEqual(['due']);
  expect(harness.reporter.failures().map(({ event }) => event)).toEqual(['lost-work-look-failed']);
  world.lostWork.stop();
});

test('between any two timers, and any two Posts, whatever else waits may run', async () => {
  const world = await open();
  world.lostWork.start();
  await world.pass(15 * MINUTE);
  const before = world.pauses();
  await world.pass(3 * MINUTE);
  expect(found(world)).toEqual(['due']);
  // One timer, and its Post.
  expect(world.pauses() - before).toBeGreaterThanOrEqual(2);
  world.lostWork.stop();
});

test('what came to its end, and what waits for its files or a hold, is left alone', async () => {
  const world = await open();
  world.lostWork.start();
  const [timer] = await world.timersIn(world.dueAt, world.dueAt);
  await world.fire(timer!);
  const { id: variantId, attempt } = await world.variant();
  const about = { workspaceId: world.scenario.id, variantId, attempt };
  await world.harness.handle(world.actor, [{ type: 'PublishSucceeded', ...about, remoteId: '1', permalink: null }]);
  await world.pass(40 * MINUTE);
  expect(found(world)).toEqual([]);
  world.lostWork.stop();
});

test('a Variant that says publishing, and whose watchdog was lost, gets another, unless one is set already', async () => {
  const world = await open();
  world.lostWork.start();
  const [timer] = await world.timersIn(world.dueAt, world.dueAt);
  await world.fire(timer!);
  expect((await world.variant()).status).toBe('publishing');
  await world.pass(24 * MINUTE);
  expect(found(world)).toEqual([]);
  await world.pass(4 * MINUTE);
  expect(found(world)).toEqual(['publish']);
  const watchdogs = async () =>
    (await world.timersIn(world.dueAt, world.harness.clock.now() + 20 * MINUTE)).filter(({ timerId }) =>
      timerId.startsWith('watchdog '),
    );
  expect(await watchdogs()).toHaveLength(2);
  // Each of them is lost, and looked at: one chain, which ends only with the Variant.
  await world.pass(16 * MINUTE);
  expect(await watchdogs()).toHaveLength(3);
  const [, , last] = await watchdogs();
  // Its publisher is at it: it has set the next one.
  await world.due.write([{ ...last!, dueAt: last!.dueAt + 10 * MINUTE }]);
  await world.pass(16 * MINUTE);
  expect(found(world)).toEqual(['publish', 'publish']);
  world.lostWork.stop();
});

test('a new owner of the shard looks again at the last minutes, and sets nothing twice', async () => {
  const world = await open();
  world.lostWork.start();
  await world.pass(18 * MINUTE);
  expect(found(world)).toEqual(['due']);
  const [, again] = (await world.timersIn(world.dueAt, world.harness.clock.now())).filter(
    ({ topic }) => topic === WORKSPACE_COMMANDS.name,
  );
  await world.fire(again!);
  world.lostWork.ownersChanged(new Set([shardOf(world.scenario.id)]));
  await world.pass(2 * MINUTE);
  expect(found(world)).toEqual(['due']);
  world.lostWork.stop();
  expect(world.harness.reporter.failures()).toEqual([]);
});

test('what was lost while nobody looked, for hours, is found by who looks next', async () => {
  const world = await open();
  world.lostWork.start();
  await world.pass(10 * MINUTE);
  world.lostWork.stop();
  // Schedulers go on meanwhile, or begin before the next owner and catch up at once.
  await world.pass(5 * HOUR);
  expect(found(world)).toEqual([]);
  const next = world.anotherLook();
  next.start();
  await world.pass(17 * MINUTE);
  expect(found(world)).toEqual(['due']);
  next.stop();
  expect(world.harness.reporter.failures()).toEqual([]);
});

test('it is looked at though nobody of this installation looked before', async () => {
  const world = await open();
  await world.pass(5 * HOUR);
  world.lostWork.start();
  await world.pass(17 * MINUTE);
  expect(found(world)).toEqual(['due']);
  world.lostWork.stop();
});

test('what fires late, as a backlog of hours does, has a quarter of an hour from then on too', async () => {
  const world = await open();
  world.lostWork.start();
  // No scheduler is there, and its watermark stands still; then one catches up at once.
  await world.harness.clock.advance(5 * HOUR);
  await world.pass(14 * MINUTE);
  expect(found(world)).toEqual([]);
  await world.pass(4 * MINUTE);
  expect(found(world)).toEqual(['due']);
  world.lostWork.stop();
});

test('minutes that a leading clock had passed are looked at when they have passed by a right one', async () => {
  const world = await open(30 * MINUTE);
  world.lostWork.start();
  await world.pass(25 * MINUTE, DAY);
  expect(found(world)).toEqual([]);
  await world.pass(25 * MINUTE);
  expect(found(world)).toEqual(['due']);
  world.lostWork.stop();
});

test('a Post whose rows can not be decoded does not end the look for lost work of others', async () => {
  const world = await open(30 * MINUTE);
  const { scenario, harness, actor } = world;
  const { channelId } = await world.variant();
  scenario.now = harness.clock.now();
  const broken = scenario.creating({ text: 'b', channelIds: [channelId], scheduledAt: world.dueAt - 10 * MINUTE });
  await harness.handle(actor, [broken]);
  const { value: _, ...row } = contentRow((await readPost(harness.store, scenario.id, broken.postId))!);
  await harness.store.upsert(POSTS, [{ ...row, body: Buffer.from('{'), format: BODY_FORMAT, timestamp: 2 ** 52 }]);
  world.lostWork.start();
  await world.pass(50 * MINUTE);
  expect(found(world)).toEqual(['due']);
  expect(harness.reporter.failures().map(({ event }) => event)).toEqual(['lost-work-look-failed']);
  world.lostWork.stop();
});
