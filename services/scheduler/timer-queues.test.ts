import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { PortError } from '#ports/errors.ts';
import type { LogRecord } from '#ports/log.ts';
import { Shard } from './shard.ts';
import { TimerQueues } from './timer-queues.ts';

const START = Date.UTC(2026, 0, 1);

test('a topic that cannot be reached holds back its own timers only', async () => {
  const clock = createMemoryClock(START);
  const appended: string[] = [];
  let away = true;
  const log = {
    append: async (topic: string, records: readonly LogRecord[]) => {
      if (away && topic === 'away') throw new PortError('unavailable', 'no leader');
      appended.push(...records.map(({ key }) => `${topic} ${key}`));
      return [];
    },
  };
  const fired: string[] = [];
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const timerQueues = new TimerQueues({ log: log as never, codec, clock, reporter: createMemoryReporter() }, (held) =>
    fired.push(held.timer.timerId),
  );
  const shard = new Shard(0);
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
  away = false;
  await clock.advance(5_000);
  expect(fired).toEqual(['first', 'second', 'stuck']);
  expect(appended).toEqual(['there first', 'there second', 'away stuck']);
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
  };
  const appended: string[] = [];
  const log = {
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
