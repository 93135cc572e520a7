import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createDueTimers, minuteOf, type DueTimer } from '#tables/repositories/due.ts';
import { DUE_HOURS } from '#tables/declarations/tables.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { readMinutes } from './minutes.ts';
import { Shard } from './shard.ts';
import { claimShard, moveWatermark } from './watermarks.ts';

const MINUTE = 60_000;
const MINUTES_A_DAY = 24 * 60;
const SHARD = 3;
const TIMER = { shard: SHARD, topic: 'there', key: 'k', payload: new Uint8Array() };

/** A shard that was just claimed, over a store of its own. `read`, `fire`, `move`: what its scheduler does in turn. */
async function ownedShard() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  const [due, shards] = [createDueTimers(store), createShards(store)];
  const options = { due, shards, clock, ids: createSeededIds(1), reporter: createMemoryReporter() };
  await shards.found(SHARD, minuteOf(clock.now()), 'made');
  const shard = new Shard(SHARD);
  await claimShard(shard, options);
  return {
    ...{ clock, store, due, shard },
    read: () => readMinutes(shard, { due, clock, add: () => {}, hasRoom: () => true, page: 10 }),
    fire: (timer: DueTimer, offset: number): void => {
      const held = shard.hold(timer, offset, () => {})!;
      shard.firing(held);
      shard.fired(held, clock.now());
    },
    move: () => moveWatermark(shard, options, false),
  };
}

test('a timer that can not fire has no others remembered for longer than they may come again', async () => {
  const { clock, shard, read, fire, move } = await ownedShard();
  const stuck = { ...TIMER, timerId: 'stuck', topic: 'away', dueAt: clock.now() };
  expect(shard.hold(stuck, 0, () => {})).not.toBeNull();
  for (let count = 0; count < 120; count++) {
    await clock.advance(MINUTE);
    await read();
    fire({ ...TIMER, timerId: `${count}`, dueAt: clock.now() }, count + 1);
    await move();
  }
  expect(shard.row?.minute).toBe(minuteOf(stuck.dueAt));
  // Those of the last ten minutes, of the present one, and the one that waits.
  expect(shard.known).toBe(12);
  expect(shard.hold(stuck, 200, () => {})).toBeNull();
});

test('of days that passed, neither timers nor the hours that held them are kept, however long the shard runs', async () => {
  const { clock, store, due, read, fire, move } = await ownedShard();
  const firstDay = Math.floor(minuteOf(clock.now()) / MINUTES_A_DAY);
  const later = { ...TIMER, timerId: 'later', dueAt: clock.now() + 20 * MINUTES_A_DAY * MINUTE };
  await due.write([later]);
  for (let hour = 0; hour < 10 * 24; hour++) {
    const now = { ...TIMER, timerId: `${hour}`, dueAt: clock.now() };
    await due.write([now]);
    fire(now, hour);
    await clock.advance(60 * MINUTE);
    await read();
    await move();
  }
  const days = await Promise.all(
    Array.from({ length: 25 }, (_, day) => store.slice(DUE_HOURS, [SHARD, firstDay + day], { limit: 24 })),
  );
  // Rows are kept for a day after they passed.
  expect(days.flatMap((hours, day) => (hours.length > 0 ? [day] : []))).toEqual([9, 20]);
  const minutes: number[] = [];
  for await (const minute of due.minutes(SHARD, minuteOf(clock.now()), minuteOf(later.dueAt) + 1)) minutes.push(minute);
  expect(minutes).toContain(minuteOf(later.dueAt));
});
