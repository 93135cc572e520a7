import { describe, expect, test } from 'vitest';
import type { TableOperation } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { TIMERS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openSchedulerBench, SHARD, SOURCE, type SchedulerBench } from './scheduler-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const names = async (bench: SchedulerBench): Promise<readonly string[]> => (await bench.fired()).map(({ name }) => name);
const failing = (when: () => boolean) => ({ before: async () => { if (when()) throw new PortError('unavailable', 'away'); }, after: async () => {} });

describe('when', () => {
  test('each timer fires at its instant, never before, in order', async () => {
    const bench = await openSchedulerBench();
    const offsets = [0, 1, 999, 30 * SECOND, 2 * MINUTE - 1, 2 * MINUTE, 7 * MINUTE, 3 * HOUR];
    for (const offset of offsets.toReversed()) await bench.set(`t${offset}`, bench.start + offset);
    await bench.scheduler('one');
    for (const offset of offsets) await bench.pass(bench.start + offset - bench.clock.now());
    const fired = await bench.fired();
    expect(fired.map(({ name }) => name)).toEqual(offsets.map((offset) => `t${offset}`));
    for (const [index, { at }] of fired.entries()) expect(at - bench.start).toBe(offsets[index]);
  });

  test('a timer that wakes early fires nothing', async () => {
    const bench = await openSchedulerBench();
    await bench.set('t', bench.start + 500);
    await bench.scheduler('one');
    await bench.pass(100);
    bench.clock.moveWall(-10);
    await bench.pass(400);
    expect(await names(bench)).toEqual([]);
    await bench.pass(10);
    expect((await bench.fired())[0]!.at).toBeGreaterThanOrEqual(bench.start + 500);
  });

  test('a clock put back by minutes fires nothing early, and what it had fired since then once more at its instant', async () => {
    const bench = await openSchedulerBench();
    for (const minutes of [10, 30]) await bench.set(`t${minutes}`, bench.start + minutes * MINUTE);
    await bench.scheduler('one');
    await bench.pass(20 * MINUTE);
    bench.clock.moveWall(-15 * MINUTE);
    await bench.pass(4 * MINUTE);
    expect(await names(bench)).toEqual(['t10']);
    await bench.pass(2 * MINUTE);
    expect(await names(bench)).toEqual(['t10', 't10']);
    await bench.pass(18 * MINUTE);
    expect(await names(bench)).toEqual(['t10', 't10']);
    await bench.pass(2 * MINUTE);
    expect(await names(bench)).toEqual(['t10', 't10', 't30']);
  });

  test('a clock put back by seconds fires nothing twice, and its watermark stays', async () => {
    const bench = await openSchedulerBench();
    await bench.set('before', bench.start + 20 * MINUTE - SECOND);
    await bench.set('after', bench.start + 21 * MINUTE);
    await bench.scheduler('one');
    await bench.pass(20 * MINUTE);
    const watermark = await bench.watermark();
    bench.clock.moveWall(-10 * SECOND);
    await bench.pass(20 * SECOND);
    expect(await names(bench)).toEqual(['before']);
    expect(await bench.watermark()).toBeGreaterThanOrEqual(watermark);
    await bench.pass(2 * MINUTE);
    expect(await names(bench)).toEqual(['before', 'after']);
  });

  test('a clock moved forward fires all it passed, in order, at once', async () => {
    const bench = await openSchedulerBench();
    for (const hours of [1, 5, 20]) await bench.set(`t${hours}`, bench.start + hours * HOUR);
    const scheduler = await bench.scheduler('one');
    bench.clock.moveWall(10 * HOUR);
    await bench.pass(0);
    await scheduler.caughtUp();
    expect(await names(bench)).toEqual(['t1', 't5']);
  });
});

describe('at least once', () => {
  test('a timer set for now, and one set late for a minute that passed, fire at once', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(30 * MINUTE);
    await bench.set('now', bench.clock.now());
    await bench.set('late', bench.start + MINUTE);
    await bench.pass(20);
    expect([...(await names(bench))].sort()).toEqual(['late', 'now']);
  });

  test('a timer that comes by its row and by the topic fires once', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(70 * SECOND);
    for (let i = 0; i < 20; i++) await bench.set(`t${i}`, bench.clock.now() + i * 10 * SECOND);
    bench.log.control.redeliver('scheduler', SOURCE);
    await bench.pass(10 * MINUTE);
    expect(await names(bench)).toEqual(Array.from({ length: 20 }, (_, i) => `t${i}`));
  });

  test('whatever the instant of a crash, the next owner fires what is left', async () => {
    for (let crashAt = 0; crashAt <= 12 * MINUTE; crashAt += 71 * SECOND) {
      const bench = await openSchedulerBench();
      const expected = Array.from({ length: 24 }, (_, i) => `t${i}`);
      for (const [i, name] of expected.entries()) await bench.set(name, bench.start + i * 30 * SECOND);
      await bench.scheduler('one');
      await bench.pass(crashAt);
      bench.log.control.crash('one');
      await bench.pass(20 * SECOND);
      await bench.scheduler('two');
      await bench.pass(15 * MINUTE);
      expect([...new Set(await names(bench))].sort()).toEqual(expected.toSorted());
    }
  });

  test('two owners at once fire everything, at worst twice', async () => {
    const bench = await openSchedulerBench();
    for (let i = 0; i < 20; i++) await bench.set(`t${i}`, bench.start + i * MINUTE);
    await bench.scheduler('one');
    await bench.scheduler('two');
    bench.log.control.overlap('scheduler', SOURCE, 'one');
    bench.log.control.overlap('scheduler', SOURCE, 'two');
    await bench.pass(25 * MINUTE);
    expect(new Set(await names(bench)).size).toBe(20);
    expect((await names(bench)).length).toBeLessThanOrEqual(40);
    bench.log.control.crash('one');
    bench.log.control.crash('two');
    await bench.setRow('row', bench.start + 40 * MINUTE);
    await bench.scheduler('three');
    await bench.pass(30 * MINUTE);
    expect(await names(bench)).toContain('row');
  });

  test('appends that fail are retried until they work, in order, and nothing is passed meanwhile', async () => {
    const bench = await openSchedulerBench();
    for (let i = 0; i < 5; i++) await bench.set(`t${i}`, bench.start + i * SECOND);
    for (let i = 0; i < 8; i++) bench.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
    await bench.scheduler('one');
    await bench.pass(MINUTE);
    expect(await names(bench)).toEqual(['t0', 't1', 't2', 't3', 't4']);
  });

  test('an unread or unfired minute is never passed', async () => {
    const bench = await openSchedulerBench();
    const unread = bench.start + 10 * MINUTE;
    await bench.setRow('t', unread);
    let away = false;
    const minuteAway = { before: async ({ table, partition }: TableOperation) => { if (away && table.name === 'due' && partition[1] === minuteOf(unread)) throw new PortError('unavailable', 'away'); }, after: async () => {} };
    const scheduler = await bench.scheduler('one', minuteAway);
    away = true;
    await bench.pass(40 * MINUTE);
    expect(scheduler.trouble()).not.toBe(null);
    expect(await bench.watermark()).toBeLessThanOrEqual(minuteOf(unread));
    away = false;
    await bench.pass(10 * MINUTE);
    expect(await names(bench)).toEqual(['t']);
    expect(await bench.watermark()).toBeGreaterThan(minuteOf(unread));
  });

  test('a store that is away when a shard is assigned is asked again until it answers', async () => {
    const bench = await openSchedulerBench();
    await bench.setRow('t', bench.start + MINUTE);
    let away = true;
    await bench.scheduler('one', failing(() => away));
    await bench.pass(30 * SECOND);
    away = false;
    await bench.pass(2 * MINUTE);
    expect(await names(bench)).toEqual(['t']);
  });
});

test('a shard that is slow to claim is not taken from itself, and leaves no timer behind when stopped', async () => {
  const bench = await openSchedulerBench();
  const slow = { before: async ({ name }: TableOperation) => { if (name === 'compareAndSet') await bench.clock.sleep(12 * SECOND); }, after: async () => {} };
  const scheduler = await bench.scheduler('one', slow);
  await bench.set('t', bench.start + 10 * MINUTE);
  await bench.pass(20 * MINUTE);
  expect(await names(bench)).toEqual(['t']);
  expect(bench.reporter.of('shard-overtaken')).toEqual([]);
  await scheduler.stop();
  await bench.pass(MINUTE);
  expect(bench.clock.armed()).toBe(0);
});

describe('what nobody can read', () => {
  test('is buried, holds no watermark, and its row fires it all the same', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(10 * MINUTE);
    const dueAt = bench.clock.now() + 5;
    await bench.setRow('t', dueAt);
    await bench.log.append(TIMERS.name, [{ key: String(SHARD), partition: SHARD, value: Buffer.from('rubbish') }]);
    await bench.pass(30 * MINUTE);
    expect(await names(bench)).toEqual(['t']);
    expect(bench.reporter.of('record-dead-lettered')).toHaveLength(1);
    expect(await bench.watermark()).toBeGreaterThan(minuteOf(dueAt) + 10);
    expect(bench.log.control.acknowledged('scheduler', SOURCE)).toBe(0);
  });

  test('of a newer schema: its row fires it on time, and it is no dead letter', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(10 * MINUTE);
    const dueAt = bench.clock.now() - MINUTE;
    await bench.setRow('t', dueAt);
    await bench.log.append(TIMERS.name, [{ key: String(SHARD), partition: SHARD, value: Buffer.from([0, 0, 15, 66, 63, 1]) }]);
    await bench.pass(SECOND);
    expect(await names(bench)).toEqual(['t']);
    expect(bench.reporter.of('record-dead-lettered')).toEqual([]);
    expect(bench.log.control.acknowledged('scheduler', SOURCE)).toBe(0);
  });
});

describe('watermark and buckets', () => {
  test('after weeks away only the hours that hold something are read', async () => {
    const bench = await openSchedulerBench();
    await bench.setRow('t', bench.start + 3 * DAY);
    bench.clock.moveWall(21 * DAY);
    let reads = 0;
    const counting = { before: async ({ table, partition }: TableOperation) => { if (table.name === 'due' && partition[0] === SHARD) reads++; }, after: async () => {} };
    const scheduler = await bench.scheduler('one', counting);
    await scheduler.caughtUp();
    expect(await names(bench)).toEqual(['t']);
    expect(reads).toBeLessThan(200);
  });

  test('a bucket is dropped a day after it passed, and not before', async () => {
    const bench = await openSchedulerBench();
    await bench.setRow('t', bench.start + MINUTE);
    await bench.scheduler('one');
    const left = () => bench.due.read(SHARD, minuteOf(bench.start + MINUTE), null, 10);
    await bench.pass(23 * HOUR);
    expect(await left()).toHaveLength(1);
    await bench.pass(90 * MINUTE);
    expect(await left()).toHaveLength(0);
    expect(await names(bench)).toEqual(['t']);
  });

  test('drained, it hands over a watermark, and its successor fires nothing again', async () => {
    const bench = await openSchedulerBench();
    for (let i = 0; i < 10; i++) await bench.set(`t${i}`, bench.start + i * 10 * SECOND);
    const scheduler = await bench.scheduler('one');
    await bench.pass(5 * MINUTE);
    await scheduler.drain();
    await scheduler.stop();
    await bench.scheduler('two');
    await bench.pass(5 * MINUTE);
    expect(await names(bench)).toHaveLength(10);
  });

  test('drained while it fires, what came into the log counts as fired', async () => {
    const bench = await openSchedulerBench();
    const scheduler = await bench.scheduler('one');
    await bench.pass(SECOND);
    bench.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
    await bench.set('t', bench.clock.now());
    await bench.pass(10);
    const draining = scheduler.drain();
    await bench.pass(SECOND);
    await draining;
    const acknowledged = bench.log.control.acknowledged('scheduler', SOURCE);
    expect(acknowledged).toBe((await names(bench)).length === 0 ? null : 0);
  });
});

describe('joined', () => {
  const due = (workspaceId: string, postId: string, count: number) => ({ type: 'VariantsDue', workspaceId, posts: [{ postId, attempt: 1, variants: Array.from({ length: count }, (_, i) => i + 1) }] }) as const;

  test('Variants due at once become commands of at most 100, none lost, in order', async () => {
    const bench = await openSchedulerBench();
    const posts = Array.from({ length: 97 }, (_, i) => `018f0000-0000-7000-8000-${String(i).padStart(10, '0')}00`);
    for (const [i, postId] of posts.entries()) await bench.set(`t${String(i).padStart(3, '0')}`, bench.start + MINUTE, due('w', postId, 3));
    await bench.scheduler('one');
    await bench.pass(2 * MINUTE);
    const commands = (await bench.messages()) as unknown as readonly { posts: readonly { postId: string; variants: readonly number[] }[] }[];
    expect(commands.flatMap((command) => command.posts.map(({ postId }) => postId))).toEqual(posts);
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(command.posts.flatMap(({ variants }) => variants).length).toBeLessThanOrEqual(100);
  });

  test('what is of another kind keeps its place among them', async () => {
    const bench = await openSchedulerBench();
    const post = '018f0000-0000-7000-8000-000000000000';
    await bench.set('a', bench.start + MINUTE, due('w', post, 1));
    await bench.set('b', bench.start + MINUTE);
    await bench.set('c', bench.start + MINUTE, due('w', post, 2));
    await bench.scheduler('one');
    await bench.pass(2 * MINUTE);
    expect((await bench.messages()).map(({ type }) => type)).toEqual(['VariantsDue', 'MarkChannel', 'VariantsDue']);
  });
});
