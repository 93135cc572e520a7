import { expect, test } from 'vitest';
import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import { Shard } from './shard.ts';

const MINUTES_A_DAY = 24 * 60;
const NOW = Date.UTC(2030, 0, 1);
const CLOCK = { now: () => NOW, monotonic: () => 5_000 };

/** A shard that was claimed with the row that a former owner left. */
function claimed(left: { readonly minute: number; readonly dropped: number }): Shard {
  const shard = new Shard(3);
  shard.claim({ epoch: 7, version: 40, ...left }, CLOCK);
  return shard;
}

test('minutes that an owner dropped whose clock led for more than a day are read by the next owner', () => {
  const present = minuteOf(NOW);
  const shard = claimed({ minute: present + 3 * MINUTES_A_DAY, dropped: present + 2 * MINUTES_A_DAY });
  const first = shard.nextMinute(CLOCK);
  expect(first, 'whatever may still be set from now on is read').toBeLessThanOrEqual(present);
  expect(shard.watermark(CLOCK).minute, 'and the watermark goes back to it').toBe(first);
});

test('minutes that were dropped after they had passed are not read again', () => {
  const present = minuteOf(NOW);
  const shard = claimed({ minute: present - 10, dropped: present - MINUTES_A_DAY });
  shard.positions.readAgainFrom(present - 2 * MINUTES_A_DAY);
  expect(shard.nextMinute(CLOCK)).toBe(present - MINUTES_A_DAY);
  expect(minuteStart(shard.watermark(CLOCK).minute)).toBeLessThan(NOW);
});
