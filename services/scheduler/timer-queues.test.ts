import { expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { PortError } from '#ports/errors.ts';
import { partitionOf, type LogRecord } from '#ports/log.ts';
import { keepSpans } from '#testing/kept-spans.ts';
import { timerIdOf } from '#tables/repositories/due.ts';
import { Shard } from './shard.ts';
import { TimerQueues } from './timer-queues.ts';

const START = Date.UTC(2026, 0, 1);

/** Timer queues over a log of which only these two are used; the ids of what fired, in order. */
function queuesOver(log: { readonly partitions: () => number; readonly append: unknown }, clock: MemoryClock) {
  const fired: string[] = [];
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const timerQueues = new TimerQueues({ log: log as never, codec, clock, reporter: createMemoryReporter() }, (held) =>
    fired.push(held.timer.timerId),
  );
  return { timerQueues, codec, shard: new Shard(0), fired };
}

test('a topic that cannot be reached holds back its own timers only', async () => {
  const clock = createMemoryClock(START);
  const appended: string[] = [];
  let away = true;
  const log = {
    partitions: () => 1,
    append: async (topic: string, records: readonly LogRecord[]) => {
      if (away && topic === 'away') throw new PortError('unavailable', 'no leader');
      appended.push(...records.map(({ key }) => `${topic} ${key}`));
      return [];
    },
  };
  const { timerQueues, codec, shard, fired } = queuesOver(log, clock);
  const payload = codec.encode({ type: 'PlanDue', workspaceId: 'w' });
  for (const [timerId, topic, dueAt] of [
    ['stuck', 'away', START + 1],
    ['first', 'there', START + 2],
    ['second', 'there', START + 3_000],
  ] as const) {
    timerQueues.add(shard.hold({ shard: 0, timerId, dueAt, topic, key: timerId, payload }, null, () => {})!);
  }
  timerQueues.wake();
  await clock.advance(5_000);
  expect(fired).toEqual(['first', 'second']);
  expect(timerQueues.due(clock.now())).toMatchObject({ overdue: 1, oldestAt: START + 1 });
  away = false;
  await clock.advance(5_000);
  expect(timerQueues.due(clock.now())).toEqual({ overdue: 0, oldestAt: null, soon: 0 });
  expect(fired).toEqual(['first', 'second', 'stuck']);
  expect(appended).toEqual(['there first', 'there second', 'away stuck']);
  await timerQueues.stop();
});

test('a partition that takes nothing holds back its own timers only', async () => {
  const clock = createMemoryClock(START);
  const partitions = 4;
  const awayPartition = partitionOf('away', partitions);
  const there = ['a', 'b', 'c', 'd', 'e'].find((key) => partitionOf(key, partitions) !== awayPartition)!;
  const appended: string[] = [];
  let away = true;
  const log = {
    partitions: () => partitions,
    append: async (_topic: string, records: readonly LogRecord[]) => {
      if (away && records.some(({ key }) => partitionOf(key, partitions) === awayPartition))
        throw new PortError('unknown', 'not enough replicas');
      appended.push(...records.map(({ key }) => key));
      return [];
    },
  };
  const { timerQueues, codec, shard, fired } = queuesOver(log, clock);
  for (const [timerId, key, dueAt] of [
    ['stuck', 'away', START + 1],
    ['with it', there, START + 1],
    ['later', there, START + 3_000],
  ] as const) {
    const payload = codec.encode({ type: 'PlanDue', workspaceId: key });
    timerQueues.add(shard.hold({ shard: 0, timerId, dueAt, topic: 'commands', key, payload }, null, () => {})!);
  }
  timerQueues.wake();
  await clock.advance(5_000);
  expect(fired).toEqual(['with it', 'later']);
  expect(timerQueues.due(clock.now())).toMatchObject({ overdue: 1, oldestAt: START + 1 });
  away = false;
  await clock.advance(5_000);
  expect(fired).toEqual(['with it', 'later', 'stuck']);
  expect(appended).toEqual([there, there, 'away']);
  await timerQueues.stop();
});

test('what is due at once in many partitions is taken in shares, and what is due in one as a whole', async () => {
  const clock = createMemoryClock(START);
  const appended: number[] = [];
  const log = {
    partitions: () => 64,
    append: async (_topic: string, records: readonly LogRecord[]) => (appended.push(records.length), []),
  };
  const { timerQueues, codec, shard } = queuesOver(log, clock);
  const payload = codec.encode({ type: 'PlanDue', workspaceId: 'w' });
  const add = (key: string, timerId: string, dueAt: number): void =>
    timerQueues.add(shard.hold({ shard: 0, timerId, dueAt, topic: 'commands', key, payload }, null, () => {})!);
  const keys = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  const byPartition = [...Map.groupBy(keys, (key) => partitionOf(key, 64)).values()];
  for (const index of Array(300).keys()) {
    for (const [key] of byPartition) add(key!, `${index} ${key}`, START + 1);
    for (const [key] of byPartition.slice(0, 2)) add(key!, `later ${index} ${key}`, START + 60_000);
  }
  timerQueues.wake();
  await clock.advance(10_000);
  expect(Math.max(...appended.slice(0, 64))).toBe(100);
  expect(appended.reduce((sum, count) => sum + count, 0)).toBe(64 * 300);
  appended.length = 0;
  await clock.advance(60_000);
  expect(appended).toEqual([300, 300]);
  await timerQueues.stop();
});

test('a queue whose timers all go with their shard waits for nothing, and for the next timer that comes', async () => {
  const clock = createMemoryClock(START);
  const log = { partitions: () => 1, append: async () => [] };
  const fired: string[] = [];
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const timerQueues = new TimerQueues({ log: log as never, codec, clock, reporter: createMemoryReporter() }, (held) =>
    fired.push(held.timer.timerId),
  );
  const payload = codec.encode({ type: 'PlanDue', workspaceId: 'w' });
  const [lost, ours] = [new Shard(0), new Shard(0)];
  const add = (shard: Shard, timerId: string): void => {
    timerQueues.add(
      shard.hold({ shard: 0, timerId, dueAt: START + 60_000, topic: 'there', key: 'k', payload }, null, () => {})!,
    );
    timerQueues.wake();
  };
  add(lost, 'of the lost shard');
  lost.lose();
  timerQueues.dropLost();
  timerQueues.wake();
  expect([timerQueues.size, clock.armed()]).toEqual([0, 0]);
  add(ours, 'of ours');
  await clock.advance(61_000);
  expect(fired).toEqual(['of ours']);
  await timerQueues.stop();
});

test('while a message of a newer release can not be decoded, its timer waits, and nothing breaks', async () => {
  const clock = createMemoryClock(START);
  const built = createCodec({ registry: createBuiltInRegistry() });
  let away = true;
  const codec: Codec = {
    encode: (message) => built.encode(message),
    decode: async (value) => {
      if (away) throw new PortError('unavailable', 'no schemas');
      return built.decode(value);
    },
    typeOf: (value) => built.typeOf(value),
  };
  const appended: string[] = [];
  const log = {
    partitions: () => 1,
    append: async (_topic: string, records: readonly LogRecord[]) => (
      appended.push(...records.map(({ key }) => key)),
      []
    ),
  };
  const fired: string[] = [];
  const timerQueues = new TimerQueues({ log: log as never, codec, clock, reporter: createMemoryReporter() }, (held) =>
    fired.push(held.timer.timerId),
  );
  const payload = built.encode({ type: 'PlanDue', workspaceId: 'w' });
  timerQueues.add(
    new Shard(0).hold(
      { shard: 0, timerId: 'waits', dueAt: START + 1, topic: 'there', key: 'k', payload },
      null,
      () => {},
    )!,
  );
  timerQueues.wake();
  await clock.advance(10_000);
  expect([fired, appended]).toEqual([[], []]);
  away = false;
  await clock.advance(5_000);
  expect([fired, appended]).toEqual([['waits'], ['k']]);
  await timerQueues.stop();
});

test('a batch reports how late each of its timers was, and what is due next is counted', async () => {
  const clock = createMemoryClock(START);
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const reporter = createMemoryReporter();
  const timerQueues = new TimerQueues(
    { log: { append: async () => [], partitions: () => 1 } as never, codec, clock, reporter },
    () => {},
  );
  const shard = new Shard(0);
  const posts = [{ postId: 'the-post', attempt: 1, variants: [1] }];
  const payload = codec.encode({ type: 'VariantsDue', workspaceId: 'w', posts });
  for (const afterMs of [1_000, 4_000, 10_000, 30_000, 70_000, 299_000, 400_000])
    timerQueues.add(
      shard.hold(
        { shard: 0, timerId: `${afterMs}`, dueAt: START + afterMs, topic: 'workspace.commands.v1', key: 'w', payload },
        null,
        () => {},
      )!,
    );
  expect(timerQueues.due(START + 5_000)).toEqual({ overdue: 2, oldestAt: START + 1_000, soon: 2 });
  // Nothing was woken meanwhile: what came due waited.
  await clock.advance(10_000);
  timerQueues.wake();
  await clock.advance(0);
  expect(reporter.of('timers-fired').map(({ facts }) => facts)).toEqual([
    { count: 3, latenessesMs: [9_000, 6_000, 0], maxLatenessMs: 9_000, postIds: ['the-post'], deliveryIds: [] },
  ]);
  await timerQueues.stop();
});

test('what fires together is linked to the traces in which its timers were set, and begins one of its own', async () => {
  const clock = createMemoryClock(START);
  const appended: LogRecord[] = [];
  const log = {
    partitions: () => 1,
    append: async (_topic: string, records: readonly LogRecord[]) => (appended.push(...records), []),
  };
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const kept = keepSpans();
  const { tracer } = kept;
  const timerQueues = new TimerQueues(
    { log: log as never, codec, clock, reporter: createMemoryReporter(), tracer },
    () => {},
  );
  const shard = new Shard(0);
  const traces = [...'abc'].map((letter) => `00-${letter.repeat(32)}-${letter.repeat(16)}-01`);
  const timer = { shard: 0, dueAt: START + 1, topic: 'workspace.commands.v1', key: 'w' };
  for (const [index, trace] of [...traces.slice(0, 2), undefined].entries()) {
    const posts = [{ postId: `0190b7a0-0000-7000-8000-0000000${index}0100`, attempt: 1, variants: [1] }];
    const payload = codec.encode({ type: 'VariantsDue', workspaceId: 'w', posts });
    timerQueues.add(
      shard.hold(
        { ...timer, timerId: timerIdOf(`due ${index}`, { ...timer, payload }, trace), payload },
        null,
        () => {},
      )!,
    );
  }
  const other = { ...timer, key: 'other', payload: codec.encode({ type: 'PlanDue', workspaceId: 'other' }) };
  timerQueues.add(shard.hold({ ...other, timerId: timerIdOf('plan', other) }, null, () => {})!);
  timerQueues.wake();
  await clock.advance(5_000);
  const spans = await kept.read();
  expect(spans.map(({ links, parentId }) => [parentId, links.map(({ traceId }) => traceId)])).toEqual([
    [null, ['a'.repeat(32), 'b'.repeat(32)]],
  ]);
  const [span] = spans;
  expect(appended.map(({ key, headers }) => [key, headers])).toEqual([
    ['other', undefined],
    ['w', { traceparent: `00-${span!.traceId}-${span!.spanId}-01` }],
  ]);
  await timerQueues.stop();
});
