import { parallelMap } from '#concurrency/parallel-map.ts';
import type { Codec } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Log, StoredRecord } from '#ports/log.ts';
import type { GroupState } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readerOf } from '#tables/declarations/readers.ts';
import { DUE, SHARD_WATERMARKS } from '#tables/declarations/tables.ts';
import { TIMERS } from '#tables/declarations/topics.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import type { ShardBody } from '#tables/repositories/shards.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { unfinishedOf, unfinishedPartitions, type ClusterStanding, type UnfinishedPartition } from './standing.ts';

const SCHEDULER = readerOf(TIMERS.name)!;
const READS_AT_ONCE = 32;
/** A group without members lets the first one join after some seconds; then records come as fast as Kafka reads. */
const COME_WITHIN_MS = 60_000;

/** How many of the records in these partitions of timers.v1 tell of a timer that no later scheduler finds as a row. */
export type TimersWithoutRow = (partitions: readonly UnfinishedPartition[]) => Promise<number>;

export interface TimerSources {
  readonly store: Pick<TableStore, 'read'>;
  readonly log: Pick<Log, 'subscribe'>;
  readonly codec: Pick<Codec, 'decode'>;
  readonly clock: Pick<Clock, 'after'>;
}

export function schedulerRuns({ groups }: { readonly groups: readonly GroupState[] }): boolean {
  return groups.some(({ group, members }) => group === SCHEDULER && members > 0);
}

/**
 * Records of each topic that would be missed if the log were lost; topics without any are left out. A record of
 * timers.v1 stands until its timer fires, and so for good while no scheduler runs. It is missed only if the timer can
 * not be read from its row. While a scheduler runs, nothing is known of that, and each of them counts.
 */
export async function unfinishedWork(
  standing: Pick<ClusterStanding, 'extents' | 'groups'>,
  timersWithoutRow: TimersWithoutRow,
): Promise<ReadonlyMap<string, number>> {
  const unfinished = new Map(unfinishedOf(standing));
  if (!unfinished.has(TIMERS.name) || schedulerRuns(standing)) return unfinished;
  const left = await timersWithoutRow(unfinishedPartitions(standing).filter(({ topic }) => topic === TIMERS.name));
  if (left === 0) unfinished.delete(TIMERS.name);
  else unfinished.set(TIMERS.name, left);
  return unfinished;
}

/**
 * Reads the records as the scheduler's group, which has no members now, and acknowledges none. A timer's row is written
 * before its record (`setTimers`), and whoever owns its shard next reads all rows from the minute of the watermark on:
 * a timer with a row there fires without its record. Rejects with `PortError`.
 */
export async function countTimersWithoutRow(
  partitions: readonly UnfinishedPartition[],
  sources: TimerSources,
): Promise<number> {
  const ends = new Map(partitions.map(({ partition, end }) => [partition, end]));
  const coming = new Set(ends.keys());
  const without = new Set<string>();
  const allCame = Promise.withResolvers<void>();
  const hasRow = rowFinder(sources);
  let looks = Promise.resolve();
  const subscription = await sources.log.subscribe({
    group: SCHEDULER,
    topics: [TIMERS.name],
    onRecords: ({ partition }, records) => {
      const end = ends.get(partition) ?? 0;
      const unfinished = records.filter(({ offset }) => offset < end);
      looks = looks.then(() =>
        parallelMap(READS_AT_ONCE, unfinished, async (record) => {
          if (!(await hasRow(record))) without.add(`${partition}/${record.offset}`);
        }),
      );
      looks.catch(allCame.reject);
      if (records.some(({ offset }) => offset >= end - 1)) coming.delete(partition);
      if (coming.size === 0) allCame.resolve();
    },
  });
  const cancel = sources.clock.after(COME_WITHIN_MS, () =>
    allCame.reject(new PortError('unavailable', `Kafka: records of ${TIMERS.name} did not come within a minute`)),
  );
  try {
    await allCame.promise;
    await looks;
    return without.size;
  } finally {
    cancel();
    await subscription.close();
  }
}

function rowFinder({ store, codec }: TimerSources): (record: StoredRecord) => Promise<boolean> {
  const watermarks = new Map<number, Promise<number>>();
  /** Serial: a move whose end its scheduler never learned is ended by this read, and not by one after the snapshot. */
  const readWatermark = async (shard: number): Promise<number> => {
    const row = await store.read(SHARD_WATERMARKS, [shard], [], { serial: true });
    return (row && decodeBody<ShardBody>(row))?.minute ?? Infinity;
  };
  const watermarkOf = (shard: number): Promise<number> => {
    const known = watermarks.get(shard) ?? readWatermark(shard);
    watermarks.set(shard, known);
    return known;
  };
  return async ({ value }) => {
    const decoded = await codec.decode(value);
    // What can not be read is not known to be anywhere else.
    if (!decoded.ok || decoded.message.type !== 'TimerSet') return false;
    const { shard, dueAt, timerId } = decoded.message;
    if (minuteOf(dueAt) < (await watermarkOf(shard))) return false;
    return (await store.read(DUE, [shard, minuteOf(dueAt)], [dueAt, timerId])) !== null;
  };
}
