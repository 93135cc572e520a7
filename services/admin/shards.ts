import { z } from 'zod';
import { PortError } from '#ports/errors.ts';
import type { GroupProgress } from '#ports/log.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { minuteStart } from '#tables/repositories/due.ts';
import { readShard, type ShardBody } from '#tables/repositories/shards.ts';
import { readerOf } from '#tables/declarations/readers.ts';
import { SHARDS, TIMERS } from '#tables/declarations/topics.ts';
import { isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const SHARDS_AT_ONCE = 8;
const READING = { group: readerOf(TIMERS.name)!, topic: TIMERS.name };

export function shardProcedures({ store, log, clock }: Pick<AdminOptions, 'store' | 'log' | 'clock'>) {
  return router({
    /**
     * Every scheduler shard, with the process that fires its timers. `owner` null: nobody has it now, or it was never
     * claimed; `claimedBy` is who had it last.
     */
    list: procedure.input(z.strictObject({}).optional()).query(async () => {
      const [progress, rows] = await Promise.all([readings(log), allShards(store)]);
      const now = clock.now();
      const items = rows.map((row, shard) => {
        const reader = typeof progress === 'string' ? null : (progress[shard] ?? null);
        const claimedBy = row?.owner ?? null;
        const watermark = row === null ? null : minuteStart(row.minute);
        return {
          shard,
          owner: typeof progress === 'string' ? claimedBy : reader?.owner == null ? null : (claimedBy ?? reader.owner),
          claimedBy,
          epoch: row?.epoch ?? null,
          watermark: watermark === null ? null : isoOf(watermark),
          behindMinutes: watermark === null ? null : Math.max(0, Math.floor((now - watermark) / 60_000)),
        };
      });
      return { items, nextCursor: null, detail: typeof progress === 'string' ? unasked(progress) : null };
    }),
  });
}

const unasked = (why: string): string =>
  `Who reads the log now is not known (${why}): owners are those that claimed their shards last.`;

/** By partition; text: why the log could not be asked. */
async function readings(log: AdminOptions['log']): Promise<readonly GroupProgress[] | string> {
  try {
    return (await log.progress([READING])).toSorted((a, b) => a.partition - b.partition);
  } catch (error) {
    if (error instanceof PortError) return error.message;
    throw error;
  }
}

async function allShards(store: AdminOptions['store']): Promise<readonly (ShardBody | null)[]> {
  const rows: (ShardBody | null)[] = [];
  await parallelMap(SHARDS_AT_ONCE, Array(SHARDS).keys(), async (shard) => {
    rows[shard] = await readShard(store, shard);
  });
  return rows;
}
