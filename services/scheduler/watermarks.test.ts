import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { readMinutes } from './minutes.ts';
import { Shard } from './shard.ts';
import { claimShard, moveWatermark } from './watermarks.ts';

const MINUTE = 60_000;
const SHARD = 3;

test('a timer that can not fire has no others remembered for longer than they may come again', async () => {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const [due, shards] = [createDueTimers(store), createShards(store)];
  const options = { due, shards, clock, ids: createSeededIds(1), reporter: createMemoryReporter() };
  await shards.found(SHARD, minuteOf(clock.now()), 'made');
  const shard = new Shard(SHARD);
  await claimShard(shard, options);
  const timer = { shard: SHARD, topic: 'there', key: 'k', payload: new Uint8Array() };
  const stuck = { ...timer, timerId: 'stuck', topic: 'away', dueAt: clock.now() };
  expect(shard.hold(stuck, 0, () => {})).not.toBeNull();
  for (let count = 0; count < 120; count++) {
    await clock.advance(MINUTE);
    await readMinutes(shard, { due, clock, add: () => {}, hasRoom: () => true, page: 10 });
    const held = shard.hold({ ...timer, timerId: `${count}`, dueAt: clock.now() }, count + 1, () => {})!;
    shard.firing(held);
    shard.fired(held, clock.now());
    await moveWatermark(shard, options, false);
  }
  expect(shard.row?.minute).toBe(minuteOf(stuck.dueAt));
  // Those of the last ten minutes, of the present one, and the one that waits.
  expect(shard.known).toBe(12);
  expect(shard.hold(stuck, 200, () => {})).toBeNull();
});
