import { z } from 'zod';
import { minuteOf, minuteStart, type DueTimer } from '#tables/repositories/due.ts';
import { readWatermark } from '#tables/repositories/shards.ts';
import { SHARDS } from '#tables/declarations/topics.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const Count = z
  .strictObject({
    /** How far ahead to look. */
    hours: z
      .number('must be a number')
      .positive('must be above 0')
      .max(31 * 24, 'must be at most 744')
      .default(1),
    /** Timers counted before the count stops. */
    limit: z.int('must be a whole number').min(1).max(1_000_000).default(100_000),
  })
  .default({ hours: 1, limit: 100_000 });

const PAGE = 2_000;
const SHARDS_AT_ONCE = 8;
/** Minutes read before the count stops: every hour that holds a timer is sixty of them in each shard. */
const MAX_MINUTES = 50_000;
const HOUR_MS = 3_600_000;

interface Tally {
  timers: number;
  minutesLeft: number;
  timersLeft: number;
  readonly minutes: Map<number, number>;
}

export function timerProcedures({ store, due, clock }: Pick<AdminOptions, 'store' | 'due' | 'clock'>) {
  return router({
    /**
     * Rows of `due` from each shard's watermark on, up to `hours` ahead. Watermarks move every few minutes only: timers
     * of the last minutes before `now` have normally fired. `complete` false: `limit` timers or 50,000 minutes were
     * read, and there is more.
     */
    count: procedure.input(Count).query(async ({ input }) => {
      const now = clock.now();
      const until = now + input.hours * HOUR_MS;
      const tally: Tally = { timers: 0, minutesLeft: MAX_MINUTES, timersLeft: input.limit, minutes: new Map() };
      const shards: { shard: number; watermark: string; timers: number }[] = [];
      await parallelMap(SHARDS_AT_ONCE, Array(SHARDS).keys(), async (shard) => {
        const watermark = await readWatermark(store, shard);
        if (watermark === null) return;
        const timers = await countShard(due, { shard, from: watermark, until: minuteOf(until) + 1 }, tally);
        if (timers > 0) shards.push({ shard, watermark: isoOf(minuteStart(watermark)), timers });
      });
      const minutes = [...tally.minutes]
        .toSorted(([a], [b]) => a - b)
        .map(([minute, timers]) => ({ minute: isoOf(minuteStart(minute)), timers }));
      return {
        now: isoOf(now),
        until: isoOf(minuteStart(minuteOf(until) + 1)),
        timers: tally.timers,
        complete: tally.timersLeft > 0 && tally.minutesLeft > 0,
        shards: shards.toSorted((a, b) => a.shard - b.shard),
        minutes,
      };
    }),
  });
}

async function countShard(
  due: AdminOptions['due'],
  { shard, from, until }: { readonly shard: number; readonly from: number; readonly until: number },
  tally: Tally,
): Promise<number> {
  let count = 0;
  for await (const minute of due.minutes(shard, from, until)) {
    if (tally.minutesLeft <= 0 || tally.timersLeft <= 0) break;
    tally.minutesLeft--;
    const timers = await countMinute(due, shard, minute, tally);
    if (timers > 0) tally.minutes.set(minute, (tally.minutes.get(minute) ?? 0) + timers);
    count += timers;
  }
  return count;
}

async function countMinute(due: AdminOptions['due'], shard: number, minute: number, tally: Tally): Promise<number> {
  let count = 0;
  let after: Pick<DueTimer, 'dueAt' | 'timerId'> | null = null;
  while (tally.timersLeft > 0) {
    const limit = Math.min(PAGE, tally.timersLeft);
    const timers: readonly DueTimer[] = await due.read(shard, minute, after, limit);
    count += timers.length;
    tally.timers += timers.length;
    tally.timersLeft -= timers.length;
    if (timers.length < limit) break;
    after = timers.at(-1)!;
  }
  return count;
}
