import { describe, expect, test } from 'vitest';
import type { TableOperation } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { TIMERS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openSchedulerHarness, SHARD, SOURCE, type SchedulerHarness } from './scheduler-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const names = async (harness: SchedulerHarness): Promise<readonly string[]> =>
  (await harness.fired()).map(({ name }) => name);
const failing = (when: () => boolean) => ({
  before: async () => {
    if (when()) throw new PortError('unavailable', 'away');
  },
  after: async () => {},
});

describe('what is due', () => {
  test('a minute that can not be read counts as overdue from its beginning', async () => {
    const harness = await openSchedulerHarness();
    let away = false;
    const scheduler = await harness.scheduler(
      'one',
      failing(() => away),
    );
    await harness.pass(MINUTE);
    expect(scheduler.due()).toMatchObject({ overdue: 0, oldestAt: null });
    away = true;
    await harness.pass(10 * MINUTE);
    const sinceMs = harness.clock.now() - scheduler.due().oldestAt!;
    expect(sinceMs).toBeGreaterThan(3 * MINUTE);
    expect(sinceMs).toBeLessThanOrEqual(10 * MINUTE);
    away = false;
    await harness.pass(MINUTE);
    expect(scheduler.due()).toMatchObject({ overdue: 0, oldestAt: null });
  });
});

describe('the instant at which a timer fires', () => {
  test('each timer fires at its instant, never before, in order', async () => {
    const harness = await openSchedulerHarness();
    const offsets = [0, 1, 999, 30 * SECOND, 2 * MINUTE - 1, 2 * MINUTE, 7 * MINUTE, 3 * HOUR];
    for (const offset of offsets.toReversed()) await harness.set(`t${offset}`, harness.start + offset);
    await harness.scheduler('one');
    for (const offset of offsets) await harness.pass(harness.start + offset - harness.clock.now());
    const fired = await harness.fired();
    expect(fired.map(({ name }) => name)).toEqual(offsets.map((offset) => `t${offset}`));
    for (const [index, { at }] of fired.entries()) expect(at - harness.start).toBe(offsets[index]);
  });

  test('a timer that wakes early fires nothing', async () => {
    const harness = await openSchedulerHarness();
    await harness.set('t', harness.start + 500);
    await harness.scheduler('one');
    await harness.pass(100);
    harness.clock.moveWall(-10);
    await harness.pass(400);
    expect(await names(harness)).toEqual([]);
    await harness.pass(10);
    expect((await harness.fired())[0]!.at).toBeGreaterThanOrEqual(harness.start + 500);
  });

  test('a clock put back by minutes fires nothing early, and what it had fired since then once more at its instant', async () => {
    const harness = await openSchedulerHarness();
    for (const minutes of [10, 30]) await harness.set(`t${minutes}`, harness.start + minutes * MINUTE);
    await harness.scheduler('one');
    await harness.pass(20 * MINUTE);
    harness.clock.moveWall(-15 * MINUTE);
    await harness.pass(4 * MINUTE);
    expect(await names(harness)).toEqual(['t10']);
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(['t10', 't10']);
    await harness.pass(18 * MINUTE);
    expect(await names(harness)).toEqual(['t10', 't10']);
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(['t10', 't10', 't30']);
  });

  test('a clock put back by seconds fires nothing twice, and its watermark stays', async () => {
    const harness = await openSchedulerHarness();
    await harness.set('before', harness.start + 20 * MINUTE - SECOND);
    await harness.set('after', harness.start + 21 * MINUTE);
    await harness.scheduler('one');
    await harness.pass(20 * MINUTE);
    const watermark = await harness.watermark();
    harness.clock.moveWall(-10 * SECOND);
    await harness.pass(20 * SECOND);
    expect(await names(harness)).toEqual(['before']);
    expect(await harness.watermark()).toBeGreaterThanOrEqual(watermark);
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(['before', 'after']);
  });

  test('a clock moved forward fires all it passed, in order, at once', async () => {
    const harness = await openSchedulerHarness();
    for (const hours of [1, 5, 20]) await harness.set(`t${hours}`, harness.start + hours * HOUR);
    const scheduler = await harness.scheduler('one');
    harness.clock.moveWall(10 * HOUR);
    await harness.pass(0);
    await scheduler.caughtUp();
    expect(await names(harness)).toEqual(['t1', 't5']);
  });
});

describe('at least once', () => {
  test('a timer set for now, and one set late for a minute that passed, fire at once', async () => {
    const harness = await openSchedulerHarness();
    await harness.scheduler('one');
    await harness.pass(30 * MINUTE);
    await harness.set('now', harness.clock.now());
    await harness.set('late', harness.start + MINUTE);
    await harness.pass(20);
    expect([...(await names(harness))].sort()).toEqual(['late', 'now']);
  });

  test('a timer that comes by its row and by the topic fires once', async () => {
    const harness = await openSchedulerHarness();
    await harness.scheduler('one');
    await harness.pass(70 * SECOND);
    for (let i = 0; i < 20; i++) await harness.set(`t${i}`, harness.clock.now() + i * 10 * SECOND);
    harness.log.control.redeliver('scheduler', SOURCE);
    await harness.pass(10 * MINUTE);
    expect(await names(harness)).toEqual(Array.from({ length: 20 }, (_, i) => `t${i}`));
  });

  test('whatever the instant of a crash, the next owner fires what is left', async () => {
    for (let crashAt = 0; crashAt <= 12 * MINUTE; crashAt += 71 * SECOND) {
      const harness = await openSchedulerHarness();
      const expected = Array.from({ length: 24 }, (_, i) => `t${i}`);
      for (const [i, name] of expected.entries()) await harness.set(name, harness.start + i * 30 * SECOND);
      const one = await harness.scheduler('one');
      await harness.pass(crashAt);
      await harness.dies('one', one);
      await harness.pass(20 * SECOND);
      await harness.scheduler('two');
      await harness.pass(15 * MINUTE);
      expect([...new Set(await names(harness))].sort()).toEqual(expected.toSorted());
    }
  });

  test('two owners at once fire everything, at worst twice', async () => {
    const harness = await openSchedulerHarness();
    for (let i = 0; i < 20; i++) await harness.set(`t${i}`, harness.start + i * MINUTE);
    await harness.scheduler('one');
    await harness.scheduler('two');
    harness.log.control.overlap('scheduler', SOURCE, 'one');
    harness.log.control.overlap('scheduler', SOURCE, 'two');
    await harness.pass(25 * MINUTE);
    expect(new Set(await names(harness)).size).toBe(20);
    expect((await names(harness)).length).toBeLessThanOrEqual(40);
    harness.log.control.crash('one');
    harness.log.control.crash('two');
    await harness.setRow('row', harness.start + 40 * MINUTE);
    await harness.scheduler('three');
    await harness.pass(30 * MINUTE);
    expect(await names(harness)).toContain('row');
  });

  test('appends that fail are retried until they work, in order, and nothing is passed meanwhile', async () => {
    const harness = await openSchedulerHarness();
    for (let i = 0; i < 5; i++) await harness.set(`t${i}`, harness.start + i * SECOND);
    for (let i = 0; i < 8; i++) harness.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
    await harness.scheduler('one');
    await harness.pass(MINUTE);
    expect(await names(harness)).toEqual(['t0', 't1', 't2', 't3', 't4']);
  });

  test('an unread or unfired minute is never passed', async () => {
    const harness = await openSchedulerHarness();
    const unread = harness.start + 10 * MINUTE;
    await harness.setRow('t', unread);
    let away = false;
    const minuteAway = {
      before: async ({ table, partition }: TableOperation) => {
        if (away && table.name === 'due' && partition[1] === minuteOf(unread))
          throw new PortError('unavailable', 'away');
      },
      after: async () => {},
    };
    const scheduler = await harness.scheduler('one', minuteAway);
    away = true;
    await harness.pass(40 * MINUTE);
    expect(scheduler.trouble()).not.toBe(null);
    expect(await harness.watermark()).toBeLessThanOrEqual(minuteOf(unread));
    away = false;
    await harness.pass(10 * MINUTE);
    expect(await names(harness)).toEqual(['t']);
    expect(await harness.watermark()).toBeGreaterThan(minuteOf(unread));
  });

  test('a minute whose timers could not be fired is not passed', async () => {
    const harness = await openSchedulerHarness();
    const dueAt = harness.start + 10 * MINUTE;
    await harness.setRow('t', dueAt);
    await harness.scheduler('one');
    for (let count = 0; count < 2_000; count++) harness.log.control.failNextAppend('full', WORKSPACE_COMMANDS.name);
    await harness.pass(40 * MINUTE);
    expect(await names(harness)).toEqual([]);
    expect(await harness.watermark()).toBeGreaterThan(minuteOf(harness.start));
    expect(await harness.watermark()).toBeLessThanOrEqual(minuteOf(dueAt));
  });

  test('a timer is acknowledged once all that stand before it have fired', async () => {
    const harness = await openSchedulerHarness();
    await harness.scheduler('one');
    await harness.pass(SECOND);
    await harness.set('later', harness.clock.now() + 2 * MINUTE);
    await harness.set('soon', harness.clock.now() + 10 * SECOND);
    await harness.pass(MINUTE);
    expect(await names(harness)).toEqual(['soon']);
    expect(harness.log.control.acknowledged('scheduler', SOURCE)).toBe(null);
    await harness.pass(2 * MINUTE);
    expect(harness.log.control.acknowledged('scheduler', SOURCE)).toBe(1);
  });

  test('a store that is away when a shard is assigned is asked again until it answers', async () => {
    const harness = await openSchedulerHarness();
    await harness.setRow('t', harness.start + MINUTE);
    let away = true;
    await harness.scheduler(
      'one',
      failing(() => away),
    );
    await harness.pass(30 * SECOND);
    away = false;
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(['t']);
  });
});

test('a shard that is slow to claim is not taken from itself, and leaves no timer behind when stopped', async () => {
  const harness = await openSchedulerHarness();
  const slow = {
    before: async ({ name }: TableOperation) => {
      if (name === 'compareAndSet') await harness.clock.sleep(12 * SECOND);
    },
    after: async () => {},
  };
  const scheduler = await harness.scheduler('one', slow);
  await harness.set('t', harness.start + 10 * MINUTE);
  await harness.pass(20 * MINUTE);
  expect(await names(harness)).toEqual(['t']);
  expect(harness.reporter.of('shard-overtaken')).toEqual([]);
  await scheduler.stop();
  await harness.pass(MINUTE);
  expect(harness.clock.armed()).toBe(0);
});

describe('a record that can not be read', () => {
  test('becomes a dead letter, holds back no watermark, and its row fires all the same', async () => {
    const harness = await openSchedulerHarness();
    await harness.scheduler('one');
    await harness.pass(10 * MINUTE);
    const dueAt = harness.clock.now() + 5;
    await harness.setRow('t', dueAt);
    await harness.log.append(TIMERS.name, [{ key: String(SHARD), partition: SHARD, value: Buffer.from('rubbish') }]);
    await harness.pass(30 * MINUTE);
    expect(await names(harness)).toEqual(['t']);
    expect(harness.reporter.of('record-dead-lettered')).toHaveLength(1);
    expect(await harness.watermark()).toBeGreaterThan(minuteOf(dueAt) + 10);
    expect(harness.log.control.acknowledged('scheduler', SOURCE)).toBe(0);
  });

  test('of a newer schema: its row fires it on time, and it is no dead letter', async () => {
    const harness = await openSchedulerHarness();
    await harness.scheduler('one');
    await harness.pass(10 * MINUTE);
    const dueAt = harness.clock.now() - MINUTE;
    await harness.setRow('t', dueAt);
    await harness.log.append(TIMERS.name, [
      { key: String(SHARD), partition: SHARD, value: Buffer.from([0, 0, 15, 66, 63, 1]) },
    ]);
    await harness.pass(SECOND);
    expect(await names(harness)).toEqual(['t']);
    expect(harness.reporter.of('record-dead-lettered')).toEqual([]);
    expect(harness.log.control.acknowledged('scheduler', SOURCE)).toBe(0);
  });
});

describe('watermark and buckets', () => {
  test('after weeks away only the hours that hold something are read', async () => {
    const harness = await openSchedulerHarness();
    await harness.setRow('t', harness.start + 3 * DAY);
    harness.clock.moveWall(21 * DAY);
    let reads = 0;
    const counting = {
      before: async ({ table, partition }: TableOperation) => {
        if (table.name === 'due' && partition[0] === SHARD) reads++;
      },
      after: async () => {},
    };
    const scheduler = await harness.scheduler('one', counting);
    await scheduler.caughtUp();
    expect(await names(harness)).toEqual(['t']);
    expect(reads).toBeLessThan(200);
  });

  test('a minute is dropped a day after it passed, and not before', async () => {
    const harness = await openSchedulerHarness();
    await harness.setRow('t', harness.start + MINUTE);
    await harness.scheduler('one');
    const left = () => harness.due.read(SHARD, minuteOf(harness.start + MINUTE), null, 10);
    await harness.pass(23 * HOUR);
    expect(await left()).toHaveLength(1);
    await harness.pass(90 * MINUTE);
    expect(await left()).toHaveLength(0);
    expect(await names(harness)).toEqual(['t']);
  });

  test('drained, it hands over a watermark, and its successor fires nothing again', async () => {
    const harness = await openSchedulerHarness();
    for (let i = 0; i < 10; i++) await harness.set(`t${i}`, harness.start + i * 10 * SECOND);
    const scheduler = await harness.scheduler('one');
    await harness.pass(5 * MINUTE);
    await scheduler.drain();
    await scheduler.stop();
    await harness.scheduler('two');
    await harness.pass(5 * MINUTE);
    expect(await names(harness)).toHaveLength(10);
  });

  test('drained while it fires, what came into the log counts as fired', async () => {
    const harness = await openSchedulerHarness();
    const scheduler = await harness.scheduler('one');
    await harness.pass(SECOND);
    harness.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
    await harness.set('t', harness.clock.now());
    await harness.pass(10);
    const draining = scheduler.drain();
    await harness.pass(SECOND);
    await draining;
    const acknowledged = harness.log.control.acknowledged('scheduler', SOURCE);
    expect(acknowledged).toBe((await names(harness)).length === 0 ? null : 0);
  });
});

describe('timers that fire together', () => {
  const due = (workspaceId: string, postId: string, count: number) =>
    ({
      type: 'VariantsDue',
      workspaceId,
      posts: [{ postId, attempt: 1, variants: Array.from({ length: count }, (_, i) => i + 1) }],
    }) as const;

  test('Variants due at once become commands of at most 100, none lost, in order', async () => {
    const harness = await openSchedulerHarness();
    const posts = Array.from({ length: 97 }, (_, i) => `018f0000-0000-7000-8000-${String(i).padStart(10, '0')}00`);
    for (const [i, postId] of posts.entries())
      await harness.set(`t${String(i).padStart(3, '0')}`, harness.start + MINUTE, due('w', postId, 3));
    await harness.scheduler('one');
    await harness.pass(2 * MINUTE);
    const commands = (await harness.messages()) as unknown as readonly {
      posts: readonly { postId: string; variants: readonly number[] }[];
    }[];
    expect(commands.flatMap((command) => command.posts.map(({ postId }) => postId))).toEqual(posts);
    expect(commands).toHaveLength(3);
    for (const command of commands)
      expect(command.posts.flatMap(({ variants }) => variants).length).toBeLessThanOrEqual(100);
  });

  test('each Post keeps the attempt that its timer was set for', async () => {
    const harness = await openSchedulerHarness();
    const posts = [1, 2, 1].map((attempt, index) => ({
      attempt,
      postId: `018f0000-0000-7000-8000-00000000000${index}00`,
    }));
    for (const { attempt, postId } of posts) {
      const [one] = due('w', postId, 1).posts;
      const message = { type: 'VariantsDue', workspaceId: 'w', posts: [{ ...one!, attempt }] } as const;
      await harness.set(`t${postId}`, harness.start + MINUTE, message);
    }
    await harness.scheduler('one');
    await harness.pass(2 * MINUTE);
    expect(await harness.messages()).toMatchObject([{ type: 'VariantsDue', posts }]);
  });

  test('what is of another kind keeps its place among them', async () => {
    const harness = await openSchedulerHarness();
    const post = '018f0000-0000-7000-8000-000000000000';
    await harness.set('a', harness.start + MINUTE, due('w', post, 1));
    await harness.set('b', harness.start + MINUTE);
    await harness.set('c', harness.start + MINUTE, due('w', post, 2));
    await harness.scheduler('one');
    await harness.pass(2 * MINUTE);
    expect((await harness.messages()).map(({ type }) => type)).toEqual(['VariantsDue', 'MarkChannel', 'VariantsDue']);
  });
});
