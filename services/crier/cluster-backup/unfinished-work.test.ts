import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { announceNearTimers, dueTimers, setTimers } from '#outbox/timers.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { TIMERS, TOPICS } from '#tables/declarations/topics.ts';
import { countTimersWithoutRow, unfinishedWork } from './unfinished-work.ts';

const SHARD = 5;
const MINUTE_MS = 60_000;

async function cluster() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const log = createMemoryLog({ topics: TOPICS, clock });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const due = createDueTimers(store);
  const now = clock.now();
  await createShards(store).found(SHARD, minuteOf(now), 'made');
  const source = { topic: TIMERS.name, partition: SHARD };
  const effect = (name: string, dueAt: number) => ({
    ...{ shard: SHARD, timerId: name, dueAt, topic: 'workspace.commands.v1', key: 'w' },
    message: { type: 'MarkChannel', workspaceId: 'w', channelId: name, state: 'connected', seenAt: 0 } as const,
  });
  const standing = (acknowledged: number, members = 0) => ({
    extents: [{ ...source, start: 0, end: log.control.records(source).length }],
    groups: [{ group: 'scheduler', members, positions: [{ ...source, next: acknowledged }] }],
  });
  return {
    ...{ log, now, source, standing },
    /** As services set one. */
    set: (name: string, dueAt: number) => setTimers({ due, log, codec, clock }, [effect(name, dueAt)]),
    /** Its record alone. */
    announce: (name: string, dueAt: number) =>
      announceNearTimers({ log, codec, clock }, dueTimers(codec, [effect(name, dueAt)])),
    unfinished: (acknowledged: number, members = 0) =>
      unfinishedWork(standing(acknowledged, members), (partitions) =>
        countTimersWithoutRow(partitions, { store, log, codec, clock }),
      ),
  };
}

test('a record of timers.v1 without an acknowledgement is no unfinished work if its timer has a row that will be read', async () => {
  const { set, now, unfinished, log, source } = await cluster();
  for (const minutes of [0, 1, 4]) await set(`in ${minutes}`, now + minutes * MINUTE_MS);
  expect([...(await unfinished(0))]).toEqual([]);
  // Looking took nothing from the scheduler that comes.
  expect(log.control.acknowledged('scheduler', source)).toBeNull();
});

test('a timer of a minute that was read, one without a row and what is no timer are unfinished', async () => {
  const { set, announce, now, unfinished, log } = await cluster();
  await set('of a former minute', now - MINUTE_MS);
  await set('that waits', now + MINUTE_MS);
  expect([...(await unfinished(0))]).toEqual([[TIMERS.name, 1]]);
  await announce('without a row', now + MINUTE_MS);
  await log.append(TIMERS.name, [{ key: String(SHARD), partition: SHARD, value: Buffer.from('rubbish') }]);
  expect([...(await unfinished(0))]).toEqual([[TIMERS.name, 3]]);
});

test('while a scheduler runs, its records are not looked at, and each counts', async () => {
  const { set, now, unfinished } = await cluster();
  await set('that waits', now + MINUTE_MS);
  expect([...(await unfinished(0, 1))]).toEqual([[TIMERS.name, 1]]);
  expect([...(await unfinished(1, 1))]).toEqual([]);
});
